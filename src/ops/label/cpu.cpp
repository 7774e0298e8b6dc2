// Strategy `simd`: union-find over runs (runs-inl.hpp), on bits. A strip of rows joins its own
// runs; then the rows where strips meet are joined; then strips number their sets and walk their
// runs once more for sums and labels. A set is known by its least run, so roots stand in raster
// order.
//
// One int32_t a run, `parent`, is all that is kept; its place follows from the strip, so nothing
// depends on how many runs there are:
//   >= 0                    a run of the same set, itself for a root
//   -label                  the root of a set, numbered
//   INT32_MIN + k           the root of what a strip holds of a set that may reach other strips:
//                           slot k has its label, and gathers its sums for this strip alone
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/label/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <limits>
#include <memory>

#include "cpu/bits-inl.hpp"
#include "cpu/simd-inl.hpp"
#include "cpu/union_find.hpp"
#include "ops/label/reference.hpp"
#include "ops/label/runs-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

constexpr int32_t first_slot = std::numeric_limits<int32_t>::min();
constexpr int32_t max_labels = int32_t(LabelArgs::max_pixels / 2);
constexpr bool is_slot(int32_t code) { return code < -max_labels; }

struct Strip {
  int32_t begin, end;  // rows
  int32_t base;        // its first run
  int32_t sets;        // sets whose root is here
  int32_t numbered;    // sets whose root is in a strip above
  // Roots, as of this strip alone, of the runs in the rows where it meets its neighbours.
  int32_t *top, *bottom;
  int32_t top_count, bottom_count;
};

class Labelling {
 public:
  Labelling(const LabelArgs& args, Call& call)
      : args_(args), call_(call), rows_(args.mask.height, call.threads(), 32) {
    Scratch& scratch = call.scratch();
    const int32_t width = args.mask.width, height = args.mask.height;
    const size_t most = size_t(max_runs(width));
    const auto strips = size_t(rows_.count);
    if (args.mask.type == PixelType::u8) packed_ = scratch.bits(width, height);
    bits_ = args.mask.type == PixelType::u8
                ? ConstBitView(packed_)
                : ConstBitView{static_cast<const uint64_t*>(args.mask.data), width, height,
                               args.mask.stride_bytes / 8};
    nothing_ = scratch.take<uint64_t>(size_t(bits_.words()));
    std::fill_n(nothing_, bits_.words(), 0);
    parent_ = scratch.take<int32_t>(most * size_t(height));
    strips_ = scratch.take<Strip>(strips);
    auto* seams = scratch.take<int32_t>(2 * most * strips);
    slots_ = reinterpret_cast<Component*>(
        scratch.take<unsigned char>(2 * most * strips * sizeof(Component)));
    for (int32_t s = 0; s < rows_.count; ++s) {
      strips_[s] = {rows_.begin(s),
                    rows_.end(s),
                    int32_t(size_t(rows_.begin(s)) * most),
                    0,
                    0,
                    seams + 2 * most * size_t(s),
                    seams + 2 * most * size_t(s) + most,
                    0,
                    0};
    }
  }

  void run() {
    const bool eight = args_.options.connectivity == 8;
    over_strips([&](Strip& s) { eight ? join_strip<true>(s) : join_strip<false>(s); });
    for (int32_t s = 1; s < rows_.count; ++s) eight ? join_seam<true>(s) : join_seam<false>(s);
    int32_t count = 0;
    for (int32_t s = 0; s < rows_.count; ++s) {
      strips_[s].numbered = count;
      count += strips_[s].sets;
    }
    args_.set_count(count);
    if (args_.components()) args_.components()->resize(size_t(count));
    const bool labels = args_.labels() || args_.ends().first;
    if (!labels && !args_.components()) return;
    over_strips([&](Strip& s) { number(s); });
    for (int32_t s = 0; s < rows_.count; ++s) {
      give_slots(strips_[s].top, strips_[s].top_count);
      give_slots(strips_[s].bottom, strips_[s].bottom_count);
    }
    over_strips([&](Strip& s) {
      if (!labels)
        gather<false, true>(s);
      else
        args_.components() ? gather<true, true>(s) : gather<true, false>(s);
    });
    if (args_.components()) add_slots();
    if (args_.ends().first && bits_.height == 1)
      std::copy_n(args_.ends().first, bits_.width, args_.ends().last);
  }

 private:
  template <class Body>
  void over_strips(Body body) {
    parallel_tasks(rows_.count, call_.threads(), [&](int s) { body(strips_[s]); });
  }
  Row row(int32_t y) const { return {bits_.row(y), bits_.width}; }

  // Joins the runs of a strip.
  template <bool Eight>
  void join_strip(Strip& s) {
    int32_t* parent = parent_;
    int32_t next = s.base, above_base = s.base, sets = 0;
    for (int32_t y = s.begin; y < s.end; ++y) {
      if (packed_.data) pack_row(args_.mask.as<uint8_t>().row(y), bits_.width, packed_.row(y));
      const int32_t base = next;
      const auto begins = [&](int32_t first, int32_t n) {
        for (int32_t i = base + first; i < base + first + n; ++i) parent[i] = i;
        sets += n;
      };
      next += walk<Eight>(
          y == s.begin ? Row{nothing_, bits_.width} : row(y - 1), row(y), begins,
          [&](int32_t c, int32_t a) {
            parent[base + c] = cpu::find_and_shorten(parent, above_base + a);
            --sets;
          },
          [&](int32_t c, int32_t a) { sets -= cpu::unite(parent, base + c, above_base + a) >= 0; });
      if (y == s.begin) s.top_count = next - base;
      above_base = base;
    }
    s.sets = sets;
    // The picture's own first and last row meet nobody.
    s.bottom_count = s.end < bits_.height ? next - above_base : 0;
    if (s.begin == 0) s.top_count = 0;
    for (int32_t i = 0; i < s.top_count; ++i) s.top[i] = cpu::find_and_shorten(parent, s.base + i);
    for (int32_t i = 0; i < s.bottom_count; ++i)
      s.bottom[i] = cpu::find_and_shorten(parent, above_base + i);
  }

  // Joins the first row of strip s to the last of the strip above. From here on a root's parent may
  // are in another strip; a root's alone, as only roots are joined.
  template <bool Eight>
  void join_seam(int32_t s) {
    const Strip &above = strips_[s - 1], &below = strips_[s];
    const auto meet = [&](int32_t c, int32_t a) {
      const int32_t lost = cpu::unite(parent_, below.top[c], above.bottom[a]);
      if (lost >= 0) --strip_of(lost).sets;
    };
    walk<Eight>(
        row(below.begin - 1), row(below.begin), [](int32_t, int32_t) {}, meet, meet);
  }
  Strip& strip_of(int32_t run) {
    return *(std::upper_bound(strips_, strips_ + rows_.count, run,
                              [](int32_t r, const Strip& s) { return r < s.base; }) -
             1);
  }

  // Numbers the roots of a strip in their order.
  void number(Strip& s) {
    int32_t label = s.numbered;
    int32_t i = s.base;
    for (int32_t left = s.sets; left > 0; ++i) {
      if (parent_[i] != i) continue;
      parent_[i] = -++label;
      --left;
    }
  }

  // Gives the roots that reach a seam slots. Runs of a strip then lead to codes without leaving it.
  void give_slots(const int32_t* roots, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      int32_t code = parent_[roots[i]];
      if (is_slot(code)) continue;
      while (code >= 0) code = parent_[code];
      Component& slot = *std::construct_at(slots_ + slot_count_);
      slot.label = is_slot(code) ? slots_[code - first_slot].label : -code;
      parent_[roots[i]] = first_slot + slot_count_++;
    }
  }

  // Where the labels of a row go; null where nobody wants them.
  int32_t* labels_of(int32_t y) const {
    if (args_.labels()) return args_.labels().as<int32_t>().row(y);
    return y == 0 ? args_.ends().first : y == bits_.height - 1 ? args_.ends().last : nullptr;
  }

  // Walks the runs of a strip: labels them, and adds them to their components.
  template <bool Labels, bool Components>
  void gather(const Strip& s) {
    Component* components = Components ? args_.components()->data() : nullptr;
    const int32_t width = bits_.width;
    int32_t i = s.base;
    for (int32_t y = s.begin; y < s.end; ++y) {
      int32_t* out = nullptr;
      if constexpr (Labels) out = labels_of(y);
      int32_t done = 0;
      for_each_run(row(y), [&](int32_t begin, int32_t end) {
        int32_t code = parent_[i];
        const bool is_root = code < 0;
        // A parent comes before its children: by now it holds its code.
        if (!is_root) parent_[i] = code = parent_[code];
        ++i;
        int32_t label;
        if (is_slot(code)) {
          Component& slot = slots_[code - first_slot];
          label = slot.label;
          if constexpr (Components) add_run(slot, begin, end, y);
        } else {
          label = -code;
          if constexpr (Components) {
            Component& component = components[label - 1];
            if (is_root) {
              component = Component();
              component.label = label;
            }
            add_run(component, begin, end, y);
          }
        }
        if (Labels && out) {
          fill(out, done, begin, width, 0);
          fill(out, begin, end, width, label);
          done = end;
        }
      });
      if (Labels && out) fill(out, done, width, width, 0);
    }
  }

  // out[begin, end) = value, by whole vectors: what they write past `end` is written over by the
  // fills that follow, and nothing is written past `width`.
  static HWY_INLINE void fill(int32_t* out, int32_t begin, int32_t end, int32_t width,
                              int32_t value) {
    const hn::ScalableTag<int32_t> d;
    const auto n = int32_t(hn::Lanes(d));
    const auto v = hn::Set(d, value);
    for (int32_t x = begin; x < end; x += n) {
      if (width - x >= n)
        hn::StoreU(v, d, out + x);
      else
        std::fill(out + x, out + std::min(end, x + n), value);
    }
  }

  // Components of several strips: the sums of their slots.
  void add_slots() {
    auto& components = *args_.components();
    for (int32_t k = 0; k < slot_count_; ++k) components[size_t(slots_[k].label) - 1].area = 0;
    for (int32_t k = 0; k < slot_count_; ++k) {
      const Component& part = slots_[k];
      Component& whole = components[size_t(part.label) - 1];
      if (whole.area == 0) {
        whole = part;
        continue;
      }
      add_part(whole, part);
    }
  }

  const LabelArgs& args_;
  Call& call_;
  Strips rows_;
  BitView packed_;     // of a u8 mask
  ConstBitView bits_;  // the mask
  uint64_t* nothing_;  // a row without a pixel
  int32_t* parent_;
  Strip* strips_;
  Component* slots_;
  int32_t slot_count_ = 0;
};

}  // namespace

void label_simd_target(const LabelArgs& args, Call& call) { Labelling(args, call).run(); }

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(label_simd_target);
void label_simd(const LabelArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(label_simd_target)(args, call);
}

}  // namespace cuesta
#endif
