#include "app/query/figures.h"

namespace ridge::app {

figure::Sources figure_sources(const Run* run, bool is_saved,
                               const std::vector<Recording>& recordings) {
  figure::Sources sources;
  sources.own = run;
  sources.is_own_saved = is_saved;
  for (const Recording& recording : recordings)
    sources.recordings.push_back({recording.run.get(), recording.machine});
  return sources;
}

}  // namespace ridge::app
