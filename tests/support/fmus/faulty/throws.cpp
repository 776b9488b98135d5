/* The two faults that C has no words for. */
#include <exception>
#include <stdexcept>

extern "C" void throw_exception() { throw std::runtime_error("thrown by a unit"); }
extern "C" void call_terminate() { std::terminate(); }
