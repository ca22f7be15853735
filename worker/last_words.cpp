#include "worker/last_words.h"

#include <cxxabi.h>
#include <stdlib.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

namespace ridge::worker {
namespace {

Emitter* told_to = nullptr;

std::string running_threads() {
  // Without a list of them: memory may be what is missing.
  std::error_code failed;
  int count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed); !failed && at != end(at);
       at.increment(failed))
    ++count;
  return std::to_string(count);
}

/// The type of what was thrown, as one writes it: "std::bad_alloc".
std::string thrown_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "";
  int failed = 0;
  char* plain = abi::__cxa_demangle(type->name(), nullptr, nullptr, &failed);
  const std::string name = failed == 0 ? plain : type->name();
  free(plain);
  return name;
}

std::string last_words() {
  const std::string type = thrown_type();
  if (type.empty())
    return "it called std::terminate: a thread that was neither joined nor detached?";
  const std::string thrown = "it threw what nobody catches: " + type;
  try {
    throw;
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      return "it could start no more threads: " + running_threads() + " are running";
    return thrown + ": " + error.what();
  } catch (const std::exception& error) {
    return error.what() == type ? thrown : thrown + ": " + error.what();
  } catch (...) {
    return thrown;
  }
}

void end_with_last_words() {
  std::set_terminate(abort);  // should there be no memory for words
  told_to->emit("fatal", {{"error", Error{ErrorCode::invalid, last_words(), "", ""}}});
  _exit(70);
}

}  // namespace

void tell_last_words(Emitter* emitter) {
  told_to = emitter;
  std::set_terminate(end_with_last_words);
}

}  // namespace ridge::worker
