// ridge: arch=75
//
// Idea      The same kernels, recorded once as a CUDA graph and launched as a whole: the host pays for one.
// Changed   Who starts the kernels: the GPU's own front end, which knows what comes next.
// Limits    Each node waits for the one before to have ended and written its results: with rows this small
//           that is the way through the memory system, and no launch.
// Look at   us a node beside "graph node" among the ceilings: the difference is the kernel itself.
// Source    CUDA C++ Programming Guide, "CUDA Graphs"; stream capture.
#include "kernels/chain/rungs/graph_plan.h"

RIDGE_KERNEL(chain, cuda, graph, .may_sync = true, .prepare = ridge::prepare_chain_graph,
             .launch = ridge::launch_chain_graph<false>);
