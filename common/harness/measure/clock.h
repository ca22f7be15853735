// The clock that times calls, and how fine it is: a browser rounds it to 5 or 100 us, so that no page can watch another.
#pragma once

namespace ridge::measure {

/// Steady, from any beginning.
double now_ns();
/// What this thread, or the process, has had of the processor; 0 where the system does not tell (a browser).
double cpu_time_ns(bool process);
/// The step by which now_ns() grows, about 20 ns where reading it takes longer than a step. Measured when it is first asked
/// for: the median of some.
double clock_step_ns();

}  // namespace ridge::measure
