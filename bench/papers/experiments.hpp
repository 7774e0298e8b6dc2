// The papers' experiments, one file each.
#pragma once

namespace cuesta::bench {

class Session;

void bench_log_ladder(Session& session);
void bench_memory_ladder(Session& session);
void bench_sobel_ladder(Session& session);
void bench_canny_stages(Session& session);
void bench_canny_pipeline(Session& session);
void bench_motion_ladder(Session& session);
void bench_label_density(Session& session);
void bench_filter_sizes(Session& session);
void bench_roofline(Session& session);
void bench_climb(Session& session);

}  // namespace cuesta::bench
