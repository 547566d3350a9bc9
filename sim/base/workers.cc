#include "sim/base/workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <thread>

#include "sim/base/check.h"

namespace parsim {

namespace {

struct Worker {
  pid_t process = -1;
  int channel = -1;  ///< read end
  std::size_t job = 0;
  std::string received;  ///< one letter for the kind of outcome, then the text
};

constexpr char kOutput = 'o';
constexpr char kFailure = 'f';
constexpr char kBug = 'b';

void send_all(int channel, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t written = write(channel, text.data() + sent, text.size() - sent);
    if (written < 0 && errno != EINTR) {
      _exit(1);  // nobody listens any more
    }
    sent += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
}

[[noreturn]] void work(int channel, pid_t parent, std::size_t job,
                       const std::function<std::string(std::size_t)>& function) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    signal(signal_number, SIG_DFL);  // the parent's files are not this process's to remove
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(1);  // it ended before this took effect
  }
  std::string outcome;
  try {
    outcome = kOutput + function(job);
  } catch (const BugError& error) {
    outcome = kBug + std::string(error.what());
  } catch (const std::exception& error) {
    outcome = kFailure + std::string(error.what());
  }
  send_all(channel, outcome);
  _exit(0);
}

Worker start(std::size_t job, const std::function<std::string(std::size_t)>& function) {
  int ends[2];
  if (pipe(ends) != 0) {
    throw RunError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    throw RunError(fmt::format("cannot start a process: {}", std::strerror(error)));
  }
  if (process == 0) {
    close(ends[0]);
    work(ends[1], parent, job, function);
  }
  close(ends[1]);
  return {process, ends[0], job, {}};
}

JobResult result_of(const Worker& worker, int status) {
  if (!worker.received.empty()) {
    const std::string text = worker.received.substr(1);
    const char kind = worker.received.front();
    return kind == kOutput ? JobResult{text, "", false} : JobResult{"", text, kind == kBug};
  }
  return {"",
          WIFSIGNALED(status) ? fmt::format("its process was ended by signal {}", WTERMSIG(status))
                              : std::string("its process ended without a result"),
          true};
}

/// Stops what still runs when the caller is left by an exception.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (const Worker& worker : running) {
      kill(worker.process, SIGKILL);
      close(worker.channel);
      waitpid(worker.process, nullptr, 0);
    }
  }
  std::vector<Worker> running;
};

/// Takes what has arrived; true: the worker has said everything.
bool drain(Worker& worker) {
  char buffer[65536];
  const ssize_t size = read(worker.channel, buffer, sizeof buffer);
  if (size > 0) {
    worker.received.append(buffer, static_cast<std::size_t>(size));
  }
  return size == 0 || (size < 0 && errno != EINTR);
}

}  // namespace

std::vector<JobResult> run_jobs(std::size_t count,
                                const std::function<std::string(std::size_t)>& job,
                                const JobOptions& options) {
  const std::size_t at_once = options.at_once > 0
                                  ? options.at_once
                                  : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::vector<JobResult> results(count);
  Workers workers;
  std::size_t next = 0;
  std::size_t done = 0;
  while (done < count) {
    while (next < count && workers.running.size() < at_once) {
      workers.running.push_back(start(next, job));
      ++next;
    }
    std::vector<pollfd> channels;
    for (const Worker& worker : workers.running) {
      channels.push_back({worker.channel, POLLIN, 0});
    }
    if (poll(channels.data(), channels.size(), -1) < 0) {
      SIM_CHECK(errno == EINTR, "poll on open pipes");
      continue;
    }
    for (std::size_t i = channels.size(); i-- > 0;) {
      if (channels[i].revents == 0 || !drain(workers.running[i])) {
        continue;
      }
      const Worker worker = workers.running[i];
      workers.running.erase(workers.running.begin() + static_cast<std::ptrdiff_t>(i));
      close(worker.channel);
      int status = 0;
      waitpid(worker.process, &status, 0);
      results[worker.job] = result_of(worker, status);
      options.finished(++done);
    }
  }
  return results;
}

}  // namespace parsim
