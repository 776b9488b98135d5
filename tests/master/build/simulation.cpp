#include "master/build/simulation.hpp"

#include "master/core/setup/initialization.hpp"
#include "tests/support/scratch.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

struct Silent final : master::base::Log {
    void message(Level, std::string_view, double, std::string_view) override {}
    void warning(std::string_view, std::string_view) override {}
};

std::string two_masses(const std::string& fmu) {
    const std::string source = std::string(TANDEM_BUILD_DIR) + "/fmus/" + fmu;
    return R"(<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
        version="1.0" name="two"><ssd:System name="two"><ssd:Elements>
        <ssd:Component name="left" source=")" +
           source + R"("/><ssd:Component name="right" source=")" + source + R"("/></ssd:Elements><ssd:Connections>
        <ssd:Connection startElement="left" startConnector="x" endElement="right" endConnector="x_other"/>
        <ssd:Connection startElement="right" startConnector="x" endElement="left" endConnector="x_other"/>
        </ssd:Connections></ssd:System></ssd:SystemStructureDescription>)";
}

}  // namespace

TEST_CASE("a thousand steps allocate nothing") {
    for (const char* fmu : {"oscillator.fmu", "oscillator_fmi2.fmu"}) {
        for (const char* algorithm : {"jacobi", "gauss-seidel"}) {
            for (const char* hold : {"constant", "compensated", "linear"}) {
                const tests::Scratch scratch;
                scratch.write("SystemStructure.ssd", two_masses(fmu));
                master::base::Diagnostics diagnostics;
                Silent log;
                master::build::Simulation simulation = master::build::make_simulation({.system = scratch.folder(),
                                                                                       .stop = "2",
                                                                                       .step = "0.001",
                                                                                       .algorithm = algorithm,
                                                                                       .hold = hold,
                                                                                       .set = {"left.x0=1"},
                                                                                       .threads = 1},
                                                                                      {}, diagnostics, log);
                master::core::initialize(*simulation.system, diagnostics);
                master::base::Time t = simulation.timing.start;
                for (int i = 0; i < 10; ++i) t = simulation.algorithm->advance(*simulation.system, t);
                const long before = allocations;
                for (int i = 0; i < 1000; ++i) t = simulation.algorithm->advance(*simulation.system, t);
                const long made = allocations - before;
                INFO(fmu << " " << algorithm << " " << hold);
                CHECK(made == 0);
            }
        }
    }
}
