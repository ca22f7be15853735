#include "worker/input.h"

#include <errno.h>
#include <unistd.h>

#include "worker/emitter.h"

namespace ridge::worker {

void read_lines(int fd, const std::function<void(const std::string& line)>& take) {
  std::string line;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(fd, piece, sizeof(piece));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    for (ssize_t i = 0; i < got; ++i) {
      if (piece[i] != '\n') {
        if (line.size() <= kLineBytes) line += piece[i];
        continue;
      }
      take(line);
      line.clear();
    }
  }
}

}  // namespace ridge::worker
