#include "fmus/common/declaring/facts.hpp"

namespace fmus {

const BuildFacts& build_facts() {
    static const BuildFacts facts{FMU_IDENTIFIER, FMU_VERSION, FMU_MODEL_EXCHANGE != 0};
    return facts;
}

}  // namespace fmus
