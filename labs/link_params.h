// The links between ranks of one machine, as every lab with ranks sets them: 0 is as fast as memory lets them be.
#pragma once

#include "labs/lab.h"

namespace ridge {

inline ParamView link_delay() {
  return {"delay_us",
          "delay of a message, µs",
          {0, 20, 100, 200, 500, 1000},
          Level::kLearn,
          "delay, µs"};
}

inline ParamView link_rate() {
  return {"rate_mb_s",
          "rate of a link, MB/s",
          {0, 100, 300, 1000, 3000, 10'000},
          Level::kLearn,
          "rate, MB/s"};
}

}  // namespace ridge
