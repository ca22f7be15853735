#include "common/view/report/closeness.h"

#include <algorithm>

#include "common/record/ratio_text.h"

namespace ridge::report {

std::string right_words(double said, double measured, const std::optional<Interval>& interval,
                        const std::string& shown) {
  // A tenth is closer than anyone's estimate of a kernel. An interval that is wider says less than that.
  constexpr double kRight = 1.1;
  const std::string in = "inside its interval" + (shown.empty() ? "" : " " + shown);
  if (interval && said >= interval->low && said <= interval->high)
    return is_wide(interval) ? in + ", which is so wide that this says little" : "right, " + in;
  const double factor = measured / said;
  return factor < kRight && factor > 1 / kRight ? "right within a tenth" : "";
}

double miss_factor(double said, double measured, const std::optional<Interval>& interval) {
  constexpr double kNear = 1.005;  // of a figure without an interval
  if (interval)
    return said < interval->low    ? said / interval->low
           : said > interval->high ? said / interval->high
                                   : 1;
  const double factor = said / measured;
  return std::max(factor, 1 / factor) <= kNear ? 1 : factor;
}

}  // namespace ridge::report
