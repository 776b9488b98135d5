#include "fmus/site/wall/ring_unit.hpp"
#include "models/site/wall/wall.hpp"

namespace {

class WallFmu final : public fmus::RingUnit<models::wall::Wall> {
public:
    WallFmu() {
        about({.name = "Wall",
               .description = "A ring wall that a closing tool demolishes from above",
               .stop = 10,
               .step = 0.01});
        declare_ring(model_.ring);
        auto& [face_radius, span, length] = model_.sizes;
        calculated_parameter("ring.face_radius", "m", face_radius).describe("Radius of the inner face");
        calculated_parameter("ring.span", "rad", span).describe("Azimuth from the first to the last vertices");
        calculated_parameter("ring.length", "m", length).describe("Length of the wall along the middle of the rim");
        declare_start_and_contact();
        auto& [tool, jaw_position, jaw_velocity] = model_.inputs;
        input("tool.pose", tool.pose).discrete().describe("Tool point: x y z (m) qx qy qz qw, world");
        input("tool.box", "m", tool.size).discrete().describe("Edge lengths of the chamber of the tool");
        input("jaw.position", "m", jaw_position).discrete().describe("Stroke of the jaw cylinder");
        input("jaw.velocity", "m/s", jaw_velocity).discrete().describe("Speed of the jaw cylinder");
        auto& state = model_.state;
        // What is there at the start follows from the parameters alone; a bite shows after its step.
        output("heights", "m", state.heights)
            .discrete()
            .dimensions({"n_phi", "n_r"})
            .depends_on({})
            .describe("Heights of the top vertices above the base");
        output("volume", "m3", state.volume).discrete().depends_on({}).describe("Volume of the wall");
        output("removed", "m3", state.removed).discrete().depends_on({}).describe("Volume taken away since the start");
        output("contact.active", state.contact_active).depends_on({}).describe("The jaw crushes the wall in this step");
        output("contact.force", "N", state.contact_force).discrete().depends_on({}).describe("Crushing force");
        output("tool.external", state.tool_external)
            .discrete()
            .depends_on({})
            .describe("Force (N), then torque (N m) on the tool at the tool point, world axes");
    }

private:
    void declare_start_and_contact() {
        auto& [seed, count, depth, width] = model_.notches;
        parameter("notch.seed", seed).describe("Of the notches in the start wall; 0: none");
        parameter("notch.count", count).max(10000).describe("Number of notches");
        parameter("notch.depth", "m", depth).describe("Depth of the deepest notch");
        parameter("notch.width", "m", width).describe("Width of the widest notch");
        auto& [sign, position, speed] = model_.jaw;
        parameter("jaw.closing_sign", sign).describe("1: the jaw closes when its cylinder extends; -1: retracts");
        parameter("jaw.contact_position", "m", position)
            .describe("Stroke beyond which the closing jaw touches the wall");
        parameter("jaw.smallest_speed", "m/s", speed).describe("A slower jaw counts as standing still");
        auto& [strength, largest, reaction] = model_.contact;
        parameter("contact.strength", "Pa", strength).describe("Crushing pressure on the top surface");
        parameter("contact.largest_force", "N", largest).describe("Most the jaw can crush with");
        parameter("contact.reaction", reaction).describe("Share of the crushing force that lifts the tool");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<WallFmu>(); }
