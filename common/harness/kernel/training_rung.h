// What a training rung's file hands to the harness. C-like, so that a rung that only sets up its
// trainer compiles in no time.
#pragma once

#include "common/core/registration.h"
#include "common/harness/kernel/kernel.h"

namespace ridge {

struct TrainMaker;  ///< common/harness/kernel/training.h

struct TrainDesc {
  const char* id = nullptr;
  Backend backend = Backend::cpu;
  const char* isa = "";  ///< from the build line, as a kernel's
  int arch = 0;
  // A rung's file sets the members from here on, in this order.
  const char* dtypes = "fp32";
  const char* library = nullptr;           ///< "PyTorch" for a peer; null for our own rungs
  bool external = false;                   ///< runs in a process of its own
  const char* (*unavailable)() = nullptr;  ///< why this machine cannot run it; null where it can
  const TrainMaker* maker = nullptr;
  const void* config = nullptr;  ///< what the maker makes of it
};

}  // namespace ridge

/// RIDGE_TRAINING(mixed, cpu, fp32, .maker = ..., .config = ...);
#define RIDGE_TRAINING(family_, backend_, trick_, ...)        \
  static constexpr ::ridge::TrainDesc ridge_train_desc = {    \
      .id = #family_ "." #backend_ "." #trick_ RIDGE_VARIANT, \
      .backend = ::ridge::Backend::backend_,                  \
      .isa = RIDGE_ISA,                                       \
      .arch = RIDGE_ARCH,                                     \
      __VA_ARGS__};                                           \
  RIDGE_REGISTER("ridge_trainings", ::ridge::TrainDesc, ridge_train_desc)
