#include "master/verbs/verb.hpp"

#include <array>

namespace master::verbs {

AddVerb add_run, add_inspect, add_check, add_graph, add_converge, add_compare, add_swap, add_linearize, add_new,
    add_pack, add_can, add_topics, add_view, add_tele;

std::span<AddVerb* const> all_verbs() {
    static constexpr std::array verbs{add_run,     add_inspect, add_check,     add_graph, add_converge,
                                      add_compare, add_swap,    add_linearize, add_new,   add_pack,
                                      add_can,     add_topics,  add_view,      add_tele};
    return verbs;
}

}  // namespace master::verbs
