// One Session::measure in progress.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/engine/answers.hpp"
#include "bench/engine/candidates.hpp"
#include "bench/engine/rotation.hpp"
#include "bench/engine/session.hpp"
#include "bench/engine/timing.hpp"

namespace cuesta::bench {

/// Verifies, then times every strategy that answers one request.
class Measurement {
 public:
  Measurement(Session& session, const Work& work)
      : session_(session),
        work_(work),
        src_(work.sources.at(0)),
        brief_(session.quick() || work.brief),
        round_(work.rounds ? work.sources.size() : 1),
        answers_(work, session.exec(work.reference)) {}

  Measured run(const std::function<void(Row&)>& annotate);

 private:
  std::vector<Candidate> candidates(Space space, ConstAnyView src, AnyView dst);
  /// Whether the answers that others are held against are this host's strategy's.
  bool gave_answers(const Candidate& candidate) const {
    return work_.reference.empty() ? work_.automatic && candidate.exec.threads == session_.threads()
                                   : candidate.strategy.name == work_.reference;
  }
  bool one_thread_too() const { return work_.one_thread && session_.threads() > 1; }
  Timing per_call(const Timing& timing) const;
  Timing time_slow(const std::function<void()>& body, double ms) const;
  /// Puts a strategy's answer to source `i` into a host picture, which has no data where the call
  /// writes none.
  using MakeAnswer = std::function<void(size_t i, AnyView got)>;
  bool verified(const Candidate& candidate, const MakeAnswer& make_answer);
  bool verified_on_host(const Candidate& candidate);
  bool verified_on_device(const Candidate& candidate, Rotation& rotation);
  bool opencv_takes(AnyView into);
  bool npp_takes(Rotation& rotation, std::string& how);
  void time_host();
  void time_device();
  void add_set_up(Row& row, const Candidate& candidate, Rotation& rotation);
  void add_end_to_end(Row& row, const Candidate& candidate, Rotation& rotation);
  void add_stages(Row& row, const Candidate& candidate, Rotation* rotation);
  void predict_device(const std::function<void(Row&)>& annotate);
  void note_best();
  Row blank(Space space) const;
  Row row_of(const Candidate& candidate, const Timing& timing, double copy_ms) const;
  Row copy_row(Space space, std::string strategy, const Timing& timing) const;
  void differs(const Candidate& candidate, const std::string& why);

  Session& session_;
  const Work& work_;
  ConstAnyView src_;
  bool brief_;
  size_t round_;  ///< sources that a time is a mean over
  Answers answers_;
  double serial_ms_ = 0;
  Measured measured_;
};

}  // namespace cuesta::bench
