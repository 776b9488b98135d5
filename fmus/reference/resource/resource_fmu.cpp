#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/resource/resource.hpp"

#include <fstream>
#include <stdexcept>

namespace {

class ResourceFmu final : public fmus::InstanceOf<models::Resource> {
public:
    ResourceFmu() {
        about({.name = "Resource", .description = "Reads a file from its resources"});
        output("y", model_.outputs.y).depends_on({}).describe("Code of the first character of resources/y.txt");
    }

private:
    void load_resources(const std::string& folder) override {
        const std::string file = folder + "y.txt";
        std::ifstream stream(file, std::ios::binary);
        const int first = stream.get();
        if (!stream) throw std::runtime_error("cannot read '" + file + "', expected at least one character");
        model_.outputs.y = first;
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ResourceFmu>(); }
