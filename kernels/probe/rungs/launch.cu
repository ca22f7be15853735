// Ceiling: kernels that do nothing, launched one by one: what a launch costs the host.
//
// Idea        The last of them writes how many there were; the others return at once. Nothing is queued
//             ahead, so that the host's work is what is timed.
// Look at     A chain of n small kernels cannot be faster than n of these.
#include "kernels/probe/rungs/launch_nodes.h"

RIDGE_KERNEL(probe, cuda, launch, .may_sync = true, .launch = ridge::probe::launch_nodes);
