#include "common/view/report/closeness.h"

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

}  // namespace ridge::report
