#include "cli/inputs.hpp"

#include <unistd.h>

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
#include <system_error>
#include <thread>

#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/threads.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/input.hpp"
#include "cuesta/io/picture.hpp"
#include "io/folder.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// The pictures and videos of a folder, by name; hidden files are not meant.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const std::string& name : io::names_in(folder, error)) {
    const fs::path path = fs::path(folder) / name;
    const std::string extension = path.extension().string();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) && !name.starts_with(".") &&
        (io::is_picture_extension(extension) || io::is_video_extension(extension)))
      out.push_back(path.string());
  }
  if (error) throw Error(ErrorCode::input, fmt::format("{}: {}", folder, error.message()), folder);
  if (out.empty()) {
    throw Error(ErrorCode::input, fmt::format("{}: the folder has no pictures or videos", folder),
                folder);
  }
  return out;
}

std::string_view shown(const Job& job) {
  return job.input == "-" ? std::string_view("standard input") : std::string_view(job.input);
}

// Throws why a file that is no picture is no video either; returns for one that is.
void check_is_video(const Job& job) {
  if (job.input == "-" || io::is_live(job.input)) return;
  try {
    io::open_frames(job.input);
  } catch (const Error& error) {
    std::string_view why = error.what();
    if (why.starts_with(job.input + ": ")) why.remove_prefix(job.input.size() + 2);
    throw Error(
        ErrorCode::input,
        fmt::format("{}: not a picture or video in a supported format ({})", job.input, why),
        job.input);
  }
}

void check_output_of_stream(const Job& job) {
  const std::string extension = fs::path(job.output).extension().string();
  if (!io::is_picture_extension(extension) || io::is_animation_name(job.output)) return;
  check_is_video(job);
  const bool is_animation =
      job.input != "-" && !io::is_live(job.input) && io::is_picture(job.input);
  usage_error(
      job.output, "-o {}: {} is {}; OUT must be a video{}, not a picture", job.output, shown(job),
      is_animation ? "an animation" : "a video",
      is_animation ? " or an animation (.mp4, .webp, .gif; --page 1 takes its first picture)" : "");
}

void check_output(const Job& job) {
  if (job.output == "-" && isatty(STDOUT_FILENO)) {
    throw Error(
        ErrorCode::output,
        "cannot write to standard output: it is a terminal; pipe it to a program or name a file",
        "-");
  }
  if (job.kind == InputKind::stream) return check_output_of_stream(job);
  const std::string extension = job.extension();
  if (!io::is_writable_extension(extension)) {
    throw Error(ErrorCode::output,
                fmt::format("cannot write {}: \"{}\" is not the extension of a picture format; use "
                            ".png, .tif, .jpg, .webp or .pgm",
                            job.output, extension),
                job.output);
  }
  if (job.pages > 1 && !io::holds_pages(extension)) {
    usage_error(job.output,
                "-o {}: {} has {} pages, which {} does not support; name a .tif or choose a page "
                "with --page",
                job.output, shown(job), job.pages, extension);
  }
}

std::string dotted(const std::string& format) {
  return format.starts_with('.') ? format : '.' + format;
}

void check_exists(const std::string& input) {
  if (input == "-" || io::is_address(input)) return;
  std::error_code error;
  if (!fs::exists(fs::status(input, error)))
    throw Error(ErrorCode::input, fmt::format("{}: {}", input, error.message()), input);
}

// The extension that a result in a folder has, with its dot; empty where it keeps its input's name.
std::string own_extension(const Job& job, const JobOptions& options) {
  std::string from = job.input == "-" ? ".png" : fs::path(job.input).extension().string();
  if (job.kind == InputKind::stream) {
    if (io::is_address(job.input)) return ".mkv";
    if (job.input == "-") return ".y4m";
    return io::is_picture_extension(from) && !io::is_animation_name(job.input) ? ".webp" : "";
  }
  if (!options.format.empty()) return dotted(options.format);
  if (job.input == "-") return from;
  const bool fits = io::is_writable_extension(from) &&
                    (!options.masks || io::can_be_lossless(from)) &&
                    (job.pages == 1 || io::holds_pages(from));
  return fits ? "" : job.pages > 1 ? ".tif" : ".png";
}

// Results of a folder: each has its input's name, with another extension where it must; where two
// would have one name, the whole old name stays before the new extension.
void name_in_folder(std::vector<Job>& jobs, const JobOptions& options) {
  const auto name_of = [](const Job& job) {
    if (io::is_address(job.input)) return fs::path(io::host_and_path(job.input)).filename();
    return job.input == "-" ? fs::path("stdin") : fs::path(job.input).filename();
  };
  std::map<std::string, int> wanted;
  std::vector<fs::path> names;
  for (const Job& job : jobs) {
    fs::path name = name_of(job);
    if (const auto extension = own_extension(job, options); !extension.empty())
      io::is_address(job.input) ? name += extension : name.replace_extension(extension);
    ++wanted[name.string()];
    names.push_back(std::move(name));
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    const auto extension = own_extension(jobs[i], options);
    if (wanted[names[i].string()] > 1 && !extension.empty() && names[i] != name_of(jobs[i]))
      names[i] = name_of(jobs[i]) += extension;
    jobs[i].output = (fs::path(options.out) / names[i]).string();
  }
}

}  // namespace

std::string Job::extension() const {
  return output == "-" ? format : fs::path(output).extension().string();
}

InputKind kind_of(const std::string& path) {
  if (io::is_address(path)) return InputKind::stream;
  if (path == "-") {
    const std::string_view head = io::peek_standard_input(32);
    return io::is_picture({reinterpret_cast<const uint8_t*>(head.data()), head.size()}) &&
                   !io::begins_as_animation(head)
               ? InputKind::picture
               : InputKind::stream;
  }
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_fifo(status) || fs::is_character_file(status)) return InputKind::stream;
  if (!fs::is_regular_file(status)) return InputKind::picture;  // reading it will say what is wrong
  if (io::is_picture(path)) return io::pages_of(path).move ? InputKind::stream : InputKind::picture;
  if (io::begins_as_video(path)) return InputKind::stream;
  return io::is_picture_extension(fs::path(path).extension().string()) ? InputKind::picture
                                                                       : InputKind::stream;
}

void make_folder(const std::string& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) {
    throw Error(ErrorCode::output,
                fmt::format("cannot make the folder {}: {}", out, error.message()), out);
  }
}

void add_follow(CLI::App& app, bool& follow) {
  app.add_flag(
      "--follow", follow,
      "write results in place while running. Partial results are kept; always on for live video");
}

void add_band(CLI::App& app, int& band) {
  app.add_option("--band", band, "process only this channel, from 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
}

void add_job_options(CLI::App& app, JobOptions& jobs, bool output_required) {
  app.add_option("INPUT", jobs.inputs, "pictures, videos, folders, an address, or - (stdin)")
      ->type_name("")
      ->required();
  app.add_option("-o,--output", jobs.out,
                 "write a file; a folder for several inputs; - (stdout). To stdout, a video is y4m "
                 "and a picture PNG")
      ->type_name("OUT")
      ->required(output_required);
  app.add_option("--format", jobs.format, "set the format in folders and on stdout: png, tif, ...")
      ->type_name("EXT");
  app.add_option("--page", jobs.page, "read one page of a file, from 1; 0 (default): all")
      ->type_name("N")
      ->check(CLI::Range(0, 1 << 20));
  add_band(app, jobs.band);
  app.add_option("--white", jobs.white,
                 "set white of pictures: auto (default), light, N (4095 of a camera's 12 bits). "
                 "auto: samples as they are; where floats become levels, 1, 255 or 65535, the "
                 "first that fits, or the largest. light: linear, as HDR. N: levels of 16 bits")
      ->type_name("W");
  app.add_option("--black", jobs.black,
                 "set black of pictures. The default is 0, or the smallest number if one is "
                 "below 0. A number: levels of 16 bits")
      ->type_name("B");
  add_follow(app, jobs.follow);
}

io::ReadLimits reading_of(const CommonOptions& common, const JobOptions& jobs,
                          recipes::Floats floats) {
  io::ReadLimits limits{common.max_pixels, common.partial};
  limits.white = parse_white(jobs.white, jobs.black);
  limits.take(floats);
  limits.max_memory = common.max_memory;
  limits.band = jobs.band;
  return limits;
}

namespace {

// A file or stream, and which of its pages are meant.
Job job_of(std::string input, const JobOptions& options) {
  Job job{.input = std::move(input), .follow = options.follow};
  job.kind = kind_of(job.input);
  const bool has_pages = job.input != "-" && !io::is_live(job.input) && io::is_picture(job.input);
  if (!has_pages) return job;
  const int pages = io::pages_of(job.input).count;
  if (options.page == 0) {
    if (job.kind == InputKind::picture) job.pages = pages;
    return job;
  }
  if (options.page > pages)
    usage_error(std::to_string(options.page), "--page {}: {} has {}", options.page, job.input,
                pages == 1 ? "one" : std::to_string(pages));
  job.kind = InputKind::picture;
  job.page = options.page - 1;
  return job;
}

bool looks_like_a_file(const std::string& out) {
  const std::string extension = fs::path(out).extension().string();
  return !out.ends_with('/') && !is_folder(out) &&
         (io::is_picture_extension(extension) || io::is_video_extension(extension));
}

}  // namespace

Plan plan_jobs(const JobOptions& options) {
  const auto& out = options.out;
  const std::string& format = options.format;
  Plan plan;
  plan.is_batch = options.inputs.size() > 1;
  // One missing input is the whole story; one of many is reported when its turn comes.
  if (!plan.is_batch) check_exists(options.inputs.at(0));
  for (const auto& input : options.inputs) {
    if (input != "-" && is_folder(input)) {
      plan.is_batch = true;
      for (auto& file : files_in(input)) plan.jobs.push_back(job_of(std::move(file), options));
    } else {
      plan.jobs.push_back(job_of(input, options));
    }
  }
  if (!format.empty() && !io::is_writable_extension(dotted(format)))
    usage_error(format, "--format {}: no picture format has this extension", format);
  if (out.empty()) {
    if (!format.empty()) usage_error(format, "--format is {}; it requires -o OUT", format);
    return plan;
  }
  const bool into_folder = out != "-" && (plan.is_batch || is_folder(out) || out.ends_with('/'));
  if (!into_folder) {
    if (plan.is_batch) usage_error("-", "-o is - and there are several results; name a folder");
    if (!format.empty() && out != "-")
      usage_error(format, "--format is {} and OUT is one file; its extension sets the format",
                  format);
    plan.jobs[0].output = out;
    plan.jobs[0].format = format.empty() ? ".png" : dotted(format);
    check_output(plan.jobs[0]);
    return plan;
  }
  std::error_code ignored;
  if (fs::exists(out, ignored) && !is_folder(out)) {
    usage_error(out, "-o is {}, a file; with several inputs OUT must be a folder", out);
  }
  if (looks_like_a_file(out)) {
    usage_error(out, "-o is {}; with several inputs OUT must be a folder (write {}/ to create it)",
                out, out);
  }
  name_in_folder(plan.jobs, options);
  for (const auto& job : plan.jobs) check_output(job);
  plan.folders.push_back(out);
  return plan;
}

namespace {

// Jobs done by threads that take them in order; their outcomes wait here for their turn.
class Lanes {
 public:
  Lanes(const std::vector<Job>& jobs, int count, const std::function<JobWork()>& make_work)
      : jobs_(jobs), outcomes_(jobs.size()) {
    threads_.reserve(size_t(count));
    try {
      while (int(threads_.size()) < count)
        threads_.emplace_back([this, &make_work] { run(make_work); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;  // the system gives no thread; fewer do as well
    }
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

int jobs_at_once(const Plan& plan, int threads, int least) {
  constexpr int usual = 16;  // pictures in memory
  // A stream shows its own progress and overlaps its own frames.
  const bool pictures = std::all_of(plan.jobs.begin(), plan.jobs.end(),
                                    [](const Job& job) { return job.kind == InputKind::picture; });
  if (!plan.is_batch || !pictures) return 1;
  const int wanted = threads > 0 ? threads : std::max(3, thread_count(0));
  return int(std::min(plan.jobs.size(), size_t(std::max(least, std::min(wanted, usual)))));
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
