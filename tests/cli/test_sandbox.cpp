// What a decoder that strangers have taken over can still do. A child enters the sandbox, tries
// each thing, and tells by its exit code which of them went not as they should.
#include "cli/sandbox.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/fence.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli {
namespace {

struct Attempt {
  std::string what;
  bool is_allowed;
  std::function<bool()> goes;
};

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("cuesta-sandbox-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    file_ = (folder_ / "file").string();
    std::fclose(std::fopen(file_.c_str(), "w"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<Attempt> attempts() const {
    const auto file = file_;
    const auto new_file = (folder_ / "new").string();
    const auto folder = folder_.string();
    return {
      {"read a file", true, [=] { return open(file.c_str(), O_RDONLY) >= 0; }},
          {"a thread", true,
           [] {
             std::atomic<bool> ran = false;
             std::thread([&] { ran = true; }).join();
             return ran.load();
           }},
          {"signal itself", true, [] { return kill(getpid(), 0) == 0; }},
          {"open for writing", false, [=] { return open(file.c_str(), O_WRONLY) >= 0; }},
          {"open for both", false, [=] { return open(file.c_str(), O_RDWR) >= 0; }},
          {"truncate by opening", false,
           [=] { return open(file.c_str(), O_RDONLY | O_TRUNC) >= 0; }},
          {"make a file", false,
           [=] { return open(new_file.c_str(), O_RDONLY | O_CREAT, 0666) >= 0; }},
          {"a file without a name", false,
           [=] { return open(folder.c_str(), O_TMPFILE | O_RDWR, 0666) >= 0; }},
          {"make a file the old way", false, [=] { return creat(new_file.c_str(), 0666) >= 0; }},
          {"truncate", false, [=] { return truncate(file.c_str(), 0) == 0; }},
          {"remove", false, [=] { return unlink(file.c_str()) == 0; }},
          {"rename", false, [=] { return rename(file.c_str(), new_file.c_str()) == 0; }},
          {"link", false, [=] { return link(file.c_str(), new_file.c_str()) == 0; }},
          {"a symbolic link", false, [=] { return symlink(file.c_str(), new_file.c_str()) == 0; }},
          {"a folder", false, [=] { return mkdir(new_file.c_str(), 0777) == 0; }},
          {"a pipe with a name", false, [=] { return mkfifo(new_file.c_str(), 0666) == 0; }},
          {"rights", false, [=] { return chmod(file.c_str(), 0777) == 0; }},
          {"run a program", false,
           [] {
             execl("/bin/true", "true", nullptr);
             return false;
           }},
          {"signal others", false, [] { return kill(getppid(), 0) == 0; }},
          {"signal all", false, [] { return kill(-1, 0) == 0; }},
          {"signal another's thread", false,
           [] { return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0; }},
          {"a socket", false, [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
          {"a socket of this machine", false, [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }},
          {"open by handle", false,
           [] { return syscall(SYS_open_by_handle_at, 0, nullptr, 0) == 0 || errno != EPERM; }},
          {"open by another call", false,
           [] { return syscall(437, AT_FDCWD, "/", nullptr, 0) >= 0 || errno != EPERM; }},
          {"io_uring", false, [] { return syscall(425, 1, nullptr) >= 0 || errno != EPERM; }},
          {"bpf", false, [] { return syscall(SYS_bpf, 0, nullptr, 0) >= 0 || errno != EPERM; }},
#if !defined(CUESTA_SANITIZED)  // leaks are sought by a process that traces
          {"a process", false,
           [] {
             const pid_t child = fork();
             if (child == 0) _exit(0);
             return child > 0;
           }},
          {"trace", false, [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0; }},
#endif
    };
  }

  std::filesystem::path folder_;
  std::string file_;
};

// Exits by the number of the first attempt that went otherwise, 0 for none.
[[noreturn]] void try_all(const std::vector<Attempt>& attempts) {
  for (size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i].goes() != attempts[i].is_allowed) _exit(int(i + 1));
  _exit(0);
}

// `file` is one that may be read.
int told_from_fence(const std::vector<Attempt>& attempts, const std::string& file,
                    const std::vector<std::string>& results) {
  return run_fenced({{"in.png"}, results, {file}}, [&]() -> int { try_all(attempts); });
}

int told_outside(const std::vector<Attempt>& attempts) {
  const pid_t child = fork();
  if (child == 0) try_all(attempts);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status);
}

// What is no result is as far away beside one as without any; beside one, a file without a name
// may become it.
TEST_F(Sandbox, HoldsWhatItPromises) {
  auto all = attempts();
  for (const bool has_result : {false, true}) {
    std::vector<std::string> results;
    if (has_result) {
      results.push_back((folder_ / "result.png").string());
      std::erase_if(all, [](const Attempt& one) { return one.what == "a file without a name"; });
    }
    const int first = told_from_fence(all, file_, results);
    EXPECT_EQ(first, 0) << all[size_t(first - 1)].what;
    EXPECT_TRUE(std::filesystem::exists(file_));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
  }
}

// Each of what is refused goes without it, or the test above would show nothing: what root may not
// do on this machine either is not asked.
TEST_F(Sandbox, IsWhatRefuses) {
  for (const Attempt& one : attempts()) {
    const bool goes_anywhere = one.what.starts_with("open for") || one.what.starts_with("make") ||
                               one.what == "rights" || one.what == "a socket" ||
                               one.what == "signal others" || one.what == "truncate";
    if (!goes_anywhere) continue;
    Attempt alone = one;
    alone.is_allowed = true;
    EXPECT_EQ(told_outside({alone}), 0) << one.what;
    std::filesystem::remove(folder_ / "new");
  }
}

bool makes(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool wrote = write(file, "x", 1) == 1;
  return close(file) == 0 && wrote;
}

// Names a file without a name, or another descriptor.
bool links(const std::string& folder, int file, const std::string& name) {
  const int made = file >= 0 ? file : open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  const std::string own = "/proc/self/fd/" + std::to_string(made);
  return linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

TEST_F(Sandbox, AFenceLetsResultsThrough) {
  const auto in = [&](const std::string& name) { return (folder_ / name).string(); };
  const std::string folder = folder_.string(), other = file_;
  std::filesystem::create_directory(in("album"));
  std::filesystem::create_directories(in("outer/inner"));
  std::filesystem::create_symlink("outer/inner", in("to-inner"));
  std::filesystem::create_symlink("file", in("to-file.png"));
  std::filesystem::create_symlink(file_, in("album/to-file.png"));
  const auto staged = [=] { return folder + "/.r." + std::to_string(getpid()) + "-0.png"; };
  const std::vector<Attempt> all = {
      {"write over a result", true, [=] { return makes(in("r.png"), O_TRUNC); }},
      {"link a result", true, [=] { return links(folder, -1, in("linked.png")); }},
      {"link it elsewhere", false, [=] { return links(folder, -1, in("other.png")); }},
      {"link it over what is there", false, [=] { return links(folder, -1, other); }},
      {"link what it reads", false,
       [=] { return links(folder, open(other.c_str(), O_RDONLY), in("linked2.png")); }},
      {"stage", true, [=] { return makes(staged(), O_EXCL); }},
      {"stage for another", false, [=] { return makes(in(".r.1-0.png"), O_EXCL); }},
      {"rename to another name", false,
       [=] { return rename(staged().c_str(), in("other.png").c_str()) == 0; }},
      {"rename to a result", true,
       [=] { return rename(staged().c_str(), in("r.png").c_str()) == 0; }},
      {"rename another file", false,
       [=] { return rename(other.c_str(), in("r.png").c_str()) == 0; }},
      {"remove its own", true, [=] { return unlink(in("linked.png").c_str()) == 0; }},
      {"remove another", false, [=] { return unlink(other.c_str()) == 0; }},
      {"a journal of bands", true, [=] { return makes(in(".r.png.cuesta-journal"), 0); }},
      {"remove it", true, [=] { return unlink(in(".r.png.cuesta-journal").c_str()) == 0; }},
      {"a journal of another", false, [=] { return makes(in(".file.cuesta-journal"), 0); }},
      {"a picture in a folder of results", true, [=] { return makes(in("album/a.png"), O_EXCL); }},
      {"another file there", false, [=] { return makes(in("album/.bashrc"), 0); }},
      {"a program there", false, [=] { return makes(in("album/a.sh"), 0); }},
      {"through a link there", false, [=] { return makes(in("album/to-file.png"), 0); }},
      {"out of the folder", false, [=] { return makes(in("album/../out.png"), 0); }},
      {"a folder of results", true,
       [=] {
         return mkdir(in("new/deep").c_str(), 0777) != 0 && mkdir(in("new").c_str(), 0777) == 0 &&
                mkdir(in("new/deep").c_str(), 0777) == 0;
       }},
      {"a picture in it", true, [=] { return makes(in("new/deep/a.png"), O_EXCL); }},
      {"another folder", false, [=] { return mkdir(in("more").c_str(), 0777) == 0; }},
      {"a folder by its name elsewhere", false,
       [=] { return mkdir(in("to-inner/../new").c_str(), 0777) == 0; }},
      {"a path that is none", false,
       [] { return syscall(SYS_openat, AT_FDCWD, 16, O_WRONLY) >= 0 || errno != EPERM; }},
      {"a second listener", false,
       [] { return syscall(SYS_seccomp, 1, 8, nullptr) >= 0 || errno != EPERM; }},
  };
  const int first = told_from_fence(
      all, file_, {in("r.png"), in("linked.png"), in("linked2.png"), in("album"), in("new/deep")});
  EXPECT_EQ(first, 0) << all[size_t(first - 1)].what;
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
  EXPECT_EQ(std::filesystem::file_size(in("r.png")), 1U);
}

// What a killed child has staged is removed, and what it was ended by is said.
TEST_F(Sandbox, AFenceCleansUp) {
  const std::string folder = folder_.string();
  try {
    run_fenced({{"in.png"}, {folder + "/r.png"}}, [&]() -> int {
      if (!makes(folder + "/.r." + std::to_string(getpid()) + "-0.png", O_EXCL)) _exit(7);
      raise(SIGKILL);
      return 0;
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input);
    EXPECT_STREQ(error.what(),
                 "in.png: the decoder of it was stopped by signal 9 (Killed); the file is damaged "
                 "or hostile, or memory ran out");
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // `file`
}

}  // namespace
}  // namespace cuesta::cli
