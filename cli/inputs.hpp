// Which inputs a verb works on, and where each result goes.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {

enum class InputKind : uint8_t { picture, stream };

/// One input and its output.
struct Job {
  std::string input{};   ///< a path, or "-"
  std::string output{};  ///< empty where no picture is wanted
  InputKind kind = InputKind::picture;
  bool follow = false;         ///< of a stream: its result grows, live or not
  int page = 0;                ///< of a picture file, the page that is meant, from 0
  int pages = 1;               ///< how many of its pages are, from there
  std::string format{};        ///< of a picture on standard output: ".png"
  std::string lines{};         ///< a file of its lines, or "-"; empty where they are not wanted
  std::string lines_format{};  ///< "svg"

  /// What names the format of a picture that is written, with its dot.
  std::string extension() const;
};

struct Plan {
  std::vector<Job> jobs{};
  /// Several inputs, or a folder: each is a case of its own, a bad one does not end the others.
  bool is_batch = false;
  std::vector<std::string> folders{};  ///< of results, to be made
};

/// What `path` is, by what it holds: an animation is a stream. By its extension where that tells
/// nothing. Throws Error{input} for a file of no kind that this build reads.
InputKind kind_of(const std::string& path);

/// Throws Error{output} where it cannot be made.
void make_folder(const std::string& out);

/// --follow, as every verb on videos takes it.
void add_follow(CLI::App& app, bool& follow);
void add_band(CLI::App& app, int& band);

/// INPUT..., -o, --format and --follow, as every verb that turns inputs into outputs takes them.
struct JobOptions {
  std::vector<std::string> inputs{};
  std::string out{}, format{}, white = "auto", black{};
  int page = 0;  ///< from 1; 0: all
  int band = 0;  ///< from 1; 0: all channels
  bool follow = false;
  bool masks = false;  ///< results are such that only formats that keep every sample will do
};
/// `-o` need not be given where the verb has other results.
void add_job_options(CLI::App& app, JobOptions& jobs, bool output_required = true);
/// How pictures are read, by the options of a verb. A white or black that is given makes levels.
io::ReadLimits reading_of(const CommonOptions& common, const JobOptions& jobs,
                          recipes::Floats floats = recipes::Floats::levels);

/// Pictures, folders of pictures, videos and "-" to jobs. Several inputs, or a folder, or an OUT
/// that is a folder: results keep their input's name there; `format` ("png") replaces its
/// extension, and ".png" is added where that cannot be written, or takes its place where the format
/// would not keep every sample of a mask. Without an OUT, jobs have no output. Throws
/// Error{invalid_argument} for an OUT that cannot be meant: a file for several inputs. Throws
/// Error{input} for a folder without pictures.
Plan plan_jobs(const JobOptions& options);

/// Does a job, and returns what says so to the user.
using JobWork = std::function<std::function<void()>(const Job&)>;
/// How many jobs of a plan are done at once: pictures, as many as `threads` (0: as there are cores,
/// three at least, so that one goes to a GPU and one comes back while one is worked on; `least` for
/// several GPUs).
int jobs_at_once(const Plan& plan, int threads, int least = 1);
/// Runs every job with a progress bar, and returns the exit code. In a batch, errors are reported
/// and the others continue; the highest code is returned. Otherwise errors are thrown. With
/// `at_once` above 1 as many threads take the jobs in order, each with a work of its own, made
/// there: reading, working and writing of several overlap. What is said comes in the jobs' order,
/// from the calling thread.
int run_jobs(const Plan& plan, int at_once, const std::function<JobWork()>& make_work);

}  // namespace cuesta::cli
