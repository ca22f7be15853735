// What several models answer to one input (request `inspect` with `answers`): each kernel runs on it, is checked against
// its definition and timed for some single calls. Problems, plans and buffers stay, so that the next stroke of a drawing
// costs the calls alone.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "common/harness/measure/rung.h"
#include "common/record/inspection.h"
#include "worker/kinds/rung.h"

namespace ridge::worker {

class Answers {
 public:
  /// Of a job whose parameters are for a single item. What cannot answer says why; an Error is a cancel or a lost device.
  Result<ModelAnswer> of(const Job& job);
  /// Models that were not trained yet may have been since.
  void forget_missing() { missing_.clear(); }

 private:
  using Ready = std::unique_ptr<measure::ReadyRung>;
  /// Null: the answer says why.
  Result<measure::ReadyRung*> ready(const Job& job, const std::string& key, ModelAnswer* answer);

  std::map<std::string, Ready> ready_;
  std::set<std::string>
      missing_;  ///< not trained: their families are not asked again at every stroke
};

}  // namespace ridge::worker
