#include "models/machine/mechanics/tree.hpp"

#include "models/machine/kinematics/linkage.hpp"
#include "models/machine/kinematics/tree.hpp"
#include "tests/models/machine/mechanics/machines.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>

using models::mechanics::JointVector;
using models::mechanics::Lean;
using models::mechanics::Terms;
using models::mechanics::Tree;

namespace {

struct Reference {
    std::array<double, 23> columns{};
    [[nodiscard]] double payload() const { return columns[6]; }
    [[nodiscard]] double angle(std::size_t i) const { return columns[3 + i]; }
    [[nodiscard]] double mass(std::size_t i, std::size_t j) const {
        constexpr std::size_t place[3][3] = {{7, 8, 9}, {8, 10, 11}, {9, 11, 12}};
        return columns[place[i][j]];
    }
    [[nodiscard]] double gravity(std::size_t i) const { return columns[13 + i]; }
    [[nodiscard]] double holding_force(std::size_t i) const { return columns[16 + i]; }
};

/// Computed apart from this code from the energies of the three links, in absolute angles; finite differences of the
/// energies agree to 2.5e-10.
std::vector<Reference> references() {
    std::ifstream file(TANDEM_TEST_DATA "/models/machine/mechanics/data/excavator_mass_and_gravity.csv");
    std::vector<Reference> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream text(line);
        Reference& row = rows.emplace_back();
        std::string cell;
        for (double& value : row.columns) {
            std::getline(text, cell, ',');
            value = std::stod(cell);
        }
    }
    return rows;
}

double entry(const Terms& terms, std::size_t i, std::size_t j) { return terms.mass[std::max(i, j)][std::min(i, j)]; }

/// Potential and kinetic energy from the poses of forward kinematics, by central differences of time.
struct Energies {
    double kinetic = 0, potential = 0;
};
Energies from_poses(const models::kinematics::Machine& machine, const std::vector<double>& joints,
                    const std::vector<double>& rates, Lean lean) {
    const models::kinematics::Tree tree(machine);
    const double dt = 1e-5;
    const auto placed = [&](double t) {
        std::vector<double> at = joints;
        for (std::size_t i = 0; i < at.size(); ++i) at[i] += t * rates[i];
        std::vector<Eigen::Isometry3d> poses(machine.links.size());
        tree.place({.pitch = lean.pitch, .roll = lean.roll}, at, poses);
        return poses;
    };
    const auto before = placed(-dt), now = placed(0), after = placed(dt);
    Energies energies;
    for (std::size_t i = 0; i < machine.links.size(); ++i) {
        const auto& inertia = machine.links[i].inertia;
        const Eigen::Vector3d velocity = (after[i] * inertia.centre - before[i] * inertia.centre) / (2 * dt);
        const Eigen::Matrix3d spin = (after[i].linear() - before[i].linear()) / (2 * dt) * now[i].linear().transpose();
        const Eigen::Vector3d turning =
            now[i].linear().transpose() * Eigen::Vector3d(spin(2, 1), spin(0, 2), spin(1, 0));
        energies.kinetic += (inertia.mass * velocity.squaredNorm() + turning.dot(inertia.about_centre * turning)) / 2;
        energies.potential += inertia.mass * 9.81 * (now[i] * inertia.centre).z();
    }
    return energies;
}

}  // namespace

TEST_CASE("mass matrix, gravity and holding forces of the excavator are those of the reference") {
    const auto rows = references();
    REQUIRE(rows.size() > 10);
    for (const Reference& row : rows) {
        const auto machine = tests::loaded_excavator(row.payload());
        const Tree tree(machine);
        JointVector q{};
        for (std::size_t i = 0; i < 3; ++i) q[i] = row.angle(i) - (i > 0 ? row.angle(i - 1) : 0);
        Terms terms;
        tree.evaluate(q, {}, {}, terms);
        // The reference's coordinates are absolute angles: a joint's coordinate is the difference of two of them.
        const auto mass = [&](std::size_t i, std::size_t j) { return i < 3 && j < 3 ? entry(terms, i, j) : 0.0; };
        const auto force = [&](std::size_t i) { return i < 3 ? terms.gravity[i] : 0.0; };
        const double largest = row.mass(0, 0), largest_force = std::abs(row.gravity(0));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(std::abs(force(i) - force(i + 1) - row.gravity(i)) < 1e-9 * largest_force);
            const double arm = models::kinematics::Linkage(machine, i).transmission(q[i]).arm;
            CHECK(terms.gravity[i] / arm == Approx(row.holding_force(i)).epsilon(1e-9).margin(1e-9 * largest_force));
            CHECK(terms.bias[i] == Approx(terms.gravity[i]).margin(1e-12 * largest_force));
            for (std::size_t j = 0; j < 3; ++j) {
                const double own = mass(i, j) - mass(i + 1, j) - mass(i, j + 1) + mass(i + 1, j + 1);
                CHECK(std::abs(own - row.mass(i, j)) < 1e-9 * largest);
            }
        }
    }
}

TEST_CASE("energies of a branching, tilted machine are those of its links' poses") {
    const auto machine = tests::odd_machine();
    const Tree tree(machine);
    REQUIRE(tree.size() == 5);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-1, 1);
    for (int sample = 0; sample < 100; ++sample) {
        std::vector<double> joints(machine.joints.size()), rates(machine.joints.size());
        JointVector q{}, v{};
        for (std::size_t i = 0; i < joints.size(); ++i) {
            if (!tree.coordinate(i)) continue;
            q[*tree.coordinate(i)] = joints[i] = 2 * any(random);
            v[*tree.coordinate(i)] = rates[i] = any(random);
        }
        const Lean lean{.pitch = 0.2 * any(random), .roll = 0.2 * any(random)};
        Terms terms;
        tree.evaluate(q, v, lean, terms);
        const Energies expected = from_poses(machine, joints, rates, lean);
        // Differences of time: 1e-10 of the squared velocity's change.
        CHECK(terms.kinetic == Approx(expected.kinetic).epsilon(1e-7));
        CHECK(terms.potential == Approx(expected.potential).epsilon(1e-12).margin(1e-6));
        double form = 0;
        for (std::size_t i = 0; i < tree.size(); ++i)
            for (std::size_t j = 0; j < tree.size(); ++j) form += v[i] * entry(terms, i, j) * v[j] / 2;
        CHECK(form == Approx(terms.kinetic).epsilon(1e-12));
    }
}

TEST_CASE("bias and gravity follow from the energies by Lagrange's equations") {
    const Tree tree(tests::odd_machine());
    const std::size_t n = tree.size();
    std::mt19937 random(2);
    std::uniform_real_distribution<double> any(-1, 1);
    for (int sample = 0; sample < 20; ++sample) {
        JointVector q{}, v{};
        for (std::size_t i = 0; i < n; ++i) q[i] = 2 * any(random), v[i] = any(random);
        const Lean lean{.pitch = 0.1, .roll = -0.2};
        Terms terms;
        tree.evaluate(q, v, lean, terms);
        double largest = 0;
        for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(terms.bias[i]));
        const double dq = 1e-5;
        const auto moved = [&](std::size_t joint, double by) {
            JointVector at = q;
            at[joint] += by;
            Terms result;
            tree.evaluate(at, v, lean, result);
            return result;
        };
        // bias_k = sum_ij dM_kj/dq_i v_i v_j - dT/dq_k + dV/dq_k
        JointVector expected{};
        for (std::size_t k = 0; k < n; ++k) {
            const Terms up = moved(k, dq), down = moved(k, -dq);
            CHECK(std::abs((up.potential - down.potential) / (2 * dq) - terms.gravity[k]) < 1e-7 * largest);
            expected[k] += terms.gravity[k] - (up.kinetic - down.kinetic) / (2 * dq);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    expected[i] += (entry(up, i, j) - entry(down, i, j)) / (2 * dq) * v[k] * v[j];
        }
        for (std::size_t k = 0; k < n; ++k) CHECK(std::abs(terms.bias[k] - expected[k]) < 1e-7 * largest);
    }
}

TEST_CASE("the tool moves with the joints as forward kinematics say") {
    const auto machine = tests::odd_machine();
    const Tree tree(machine);
    const models::kinematics::Tree poses(machine);
    const std::vector<double> joints{0.1, 0, -0.4, 0.3, 0.7, -0.2};
    JointVector q{};
    for (std::size_t i = 0; i < joints.size(); ++i)
        if (tree.coordinate(i)) q[*tree.coordinate(i)] = joints[i];
    const Lean lean{.pitch = 0.1, .roll = 0.05};
    Terms terms;
    tree.evaluate(q, {}, lean, terms);
    const auto tool_at = [&](std::size_t joint, double by) {
        std::vector<double> at = joints;
        at[joint] += by;
        std::vector<Eigen::Isometry3d> placed(machine.links.size());
        poses.place({.pitch = lean.pitch, .roll = lean.roll}, at, placed);
        return poses.tool(placed);
    };
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (!tree.coordinate(i)) continue;
        const auto& motion = terms.tool[*tree.coordinate(i)];
        const auto up = tool_at(i, 1e-5), down = tool_at(i, -1e-5);
        CHECK((motion.translation - (up.translation() - down.translation()) / 2e-5).norm() < 1e-8);
        const Eigen::AngleAxisd turn(up.linear() * down.linear().transpose());
        CHECK((motion.rotation - turn.angle() / 2e-5 * turn.axis()).norm() < 1e-8);
    }
}

TEST_CASE("a machine that is no tree is refused with its name") {
    auto machine = tests::loaded_excavator();
    machine.links[1].inertia.mass = -1;
    CHECK_THROWS_WITH(Tree(machine), Catch::Contains("boom") && Catch::Contains("mass"));
    machine = tests::loaded_excavator();
    machine.joints[0].parent = 2;
    CHECK_THROWS_WITH(Tree(machine), Catch::Contains("boom"));
    machine = tests::loaded_excavator();
    machine.joints[1].axis.setZero();
    CHECK_THROWS_WITH(Tree(machine), Catch::Contains("arm") && Catch::Contains("axis"));
}
