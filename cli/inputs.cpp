#include "cli/inputs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "cli/progress.hpp"
#include "core/threads.hpp"
#include "io/address.hpp"
#include "io/formats.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// The pictures of a folder, by name; hidden files are not meant.
std::vector<std::string> pictures_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    std::error_code ignored;
    if (at->is_regular_file(ignored) && !path.filename().string().starts_with(".") &&
        io::is_picture_extension(path.extension().string()))
      out.push_back(path.string());
  }
  if (error) throw Error(ErrorCode::input, fmt::format("{}: {}", folder, error.message()), folder);
  if (out.empty())
    throw Error(ErrorCode::input, fmt::format("{}: the folder holds no pictures", folder), folder);
  std::sort(out.begin(), out.end());
  return out;
}

void check_output(const Job& job) {
  if (job.output == "-") {
    if (job.kind == InputKind::picture)
      usage_error("-",
                  "-o -: standard output takes y4m, which a picture does not make; name a file");
    return;
  }
  const std::string extension = fs::path(job.output).extension().string();
  if (job.kind == InputKind::stream && io::is_picture_extension(extension)) {
    usage_error(job.output, "-o {}: {} is a video, so OUT must be one, not a picture", job.output,
                job.input == "-" ? "standard input" : std::string_view(job.input));
  }
  if (job.kind == InputKind::picture && !io::is_writable_extension(extension)) {
    throw Error(
        ErrorCode::output,
        fmt::format("cannot write {}: no picture format has the extension \"{}\"; try .png, "
                    ".tif, .jpg, .webp or .pgm",
                    job.output, extension),
        job.output);
  }
}

void check_exists(const std::string& input) {
  if (input == "-" || io::is_address(input)) return;
  std::error_code error;
  if (!fs::exists(fs::status(input, error)))
    throw Error(ErrorCode::input, fmt::format("{}: {}", input, error.message()), input);
}

// What is read may not be written over, whichever job reads it.
void check_not_read(const Plan& plan, const std::vector<std::string>& also_read) {
  std::set<std::string> read;
  for (const auto& job : plan.jobs) {
    if (job.input != "-") read.insert(place_of(job.input));
  }
  for (const auto& path : also_read) read.insert(place_of(path));
  for (const auto& job : plan.jobs) {
    if (job.output != "-" && read.contains(place_of(job.output))) {
      usage_error(job.output, "-o: {} is read and would be written over; choose another name",
                  job.output);
    }
  }
}

std::string name_in_folder(const Job& job, const fs::path& folder, const std::string& format) {
  fs::path name = job.input == "-" ? fs::path("stdin.y4m") : fs::path(job.input).filename();
  if (io::is_address(job.input)) name += ".mkv";
  if (job.kind == InputKind::picture) {
    if (!format.empty())
      name.replace_extension(format);
    else if (!io::is_writable_extension(name.extension().string()))
      name += ".png";
  }
  return (folder / name).string();
}

void make_folder(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) {
    throw Error(ErrorCode::output,
                fmt::format("cannot make the folder {}: {}", out, error.message()), out);
  }
}

}  // namespace

std::string place_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole.string();
}

InputKind kind_of(const std::string& path) {
  if (path == "-" || io::is_address(path)) return InputKind::stream;
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_fifo(status) || fs::is_character_file(status)) return InputKind::stream;
  if (!fs::is_regular_file(status)) return InputKind::picture;  // reading it will say what is wrong
  if (io::is_picture(path)) return InputKind::picture;
  if (io::begins_as_video(path)) return InputKind::stream;
  return io::is_picture_extension(fs::path(path).extension().string()) ? InputKind::picture
                                                                       : InputKind::stream;
}

void add_job_options(CLI::App& app, JobOptions& jobs) {
  app.add_option("INPUT", jobs.inputs, "pictures, a folder, a video, an address, or - (stdin)")
      ->type_name("")
      ->required();
  app.add_option("-o,--output", jobs.out,
                 "result; a folder for several inputs; - writes y4m to stdout")
      ->type_name("OUT")
      ->required();
  app.add_option("--format", jobs.format,
                 "in a folder OUT, write this format instead of the input's: png, tif, ...")
      ->type_name("EXT");
}

Plan plan_jobs(const JobOptions& options, const std::vector<std::string>& also_read) {
  const auto& [inputs, out, format] = options;
  Plan plan;
  plan.is_batch = inputs.size() > 1;
  for (const auto& input : inputs) {
    if (input != "-" && is_folder(input)) {
      plan.is_batch = true;
      for (auto& picture : pictures_in(input))
        plan.jobs.push_back({std::move(picture), {}, InputKind::picture});
    } else {
      plan.jobs.push_back({input, {}, kind_of(input)});
    }
  }
  // One missing input is the whole story; one of many is told when its turn comes.
  if (!plan.is_batch) check_exists(plan.jobs[0].input);
  if (!format.empty() &&
      !io::is_writable_extension(format.starts_with('.') ? format : '.' + format))
    usage_error(format, "--format {}: no picture format has this extension", format);
  const bool into_folder = out != "-" && (plan.is_batch || is_folder(out) || out.ends_with('/'));
  if (!into_folder) {
    if (plan.is_batch) usage_error("-", "-o -: standard output takes one stream; name a folder");
    if (!format.empty())
      usage_error(format, "--format {}: OUT is one file and names its format itself", format);
    plan.jobs[0].output = out;
    check_output(plan.jobs[0]);
    check_not_read(plan, also_read);
    return plan;
  }
  std::error_code ignored;
  if (fs::exists(out, ignored) && !is_folder(out)) {
    usage_error(out, "-o {}: with several inputs OUT is a folder, and this is a file", out);
  }
  std::map<std::string, std::string> taken;
  for (auto& job : plan.jobs) {
    job.output = name_in_folder(job, out, format);
    if (const auto [at, is_new] = taken.emplace(job.output, job.input); !is_new) {
      usage_error(job.output, "-o {}: both {} and {} would be written to {}", out, at->second,
                  job.input, job.output);
    }
    check_output(job);
  }
  check_not_read(plan, also_read);
  make_folder(out);
  return plan;
}

namespace {

// Jobs done by threads that take them in order; their outcomes wait here for their turn.
class Lanes {
 public:
  Lanes(const std::vector<Job>& jobs, int count, const std::function<JobWork()>& make_work)
      : jobs_(jobs), outcomes_(jobs.size()) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, &make_work] { run(make_work); });
  }
  ~Lanes() { next_ = jobs_.size(); }  // nobody asks for the others

  /// Waits for the job of that number, throws what it threw, or says what it did.
  void tell(size_t number) {
    Outcome outcome;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return outcomes_[number].is_done || broken_; });
      if (!outcomes_[number].is_done) std::rethrow_exception(broken_);
      outcome = std::move(outcomes_[number]);
    }
    if (outcome.error) std::rethrow_exception(outcome.error);
    outcome.say();
  }

 private:
  struct Outcome {
    bool is_done = false;
    std::exception_ptr error{};
    std::function<void()> say{};
  };
  void run(const std::function<JobWork()>& make_work) {
    try {
      const JobWork work = make_work();
      for (size_t at = next_++; at < jobs_.size(); at = next_++) {
        Outcome outcome{.is_done = true};
        try {
          outcome.say = work(jobs_[at]);
        } catch (...) {
          outcome.error = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        outcomes_[at] = std::move(outcome);
        changed_.notify_all();
      }
    } catch (...) {  // no work was made: nobody would do the jobs
      const std::lock_guard lock(mutex_);
      broken_ = std::current_exception();
      changed_.notify_all();
    }
  }

  const std::vector<Job>& jobs_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Outcome> outcomes_;
  std::exception_ptr broken_{};
  std::vector<std::jthread> threads_;  // last: they end first
};

}  // namespace

int jobs_at_once(const Plan& plan, int threads) {
  constexpr int most = 16;  // pictures in memory
  // A stream shows its own progress and overlaps its own frames.
  const bool pictures = std::all_of(plan.jobs.begin(), plan.jobs.end(),
                                    [](const Job& job) { return job.kind == InputKind::picture; });
  if (!plan.is_batch || !pictures) return 1;
  const int wanted = threads > 0 ? threads : std::max(3, thread_count(0));
  return int(std::min(plan.jobs.size(), size_t(std::min(wanted, most))));
}

int run_jobs(const Plan& plan, int at_once, const std::function<JobWork()>& make_work) {
  if (!plan.is_batch) {
    make_work()(plan.jobs.at(0))();
    return exit_done;
  }
  Progress progress("pictures", int64_t(plan.jobs.size()));
  int code = exit_done;
  int64_t failed = 0;
  std::optional<Lanes> lanes;
  JobWork own;
  if (at_once > 1)
    lanes.emplace(plan.jobs, at_once, make_work);
  else
    own = make_work();
  for (size_t number = 0; number < plan.jobs.size(); ++number) {
    const Job& job = plan.jobs[number];
    try {
      lanes ? lanes->tell(number) : own(job)();
    } catch (const Error& error) {
      print_error(message_of(error));
      code = std::max<int>(code, exit_code_of(error.code()));
      ++failed;
    } catch (const std::bad_alloc&) {
      print_error(fmt::format("{}: out of memory", job.input));
      code = exit_device;
      ++failed;
    }
    progress.step();
  }
  if (failed > 0) note("{} of {} inputs failed", failed, plan.jobs.size());
  return code;
}

}  // namespace cuesta::cli
