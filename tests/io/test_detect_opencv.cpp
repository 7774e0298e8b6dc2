// What `cuesta detect` writes against OpenCV on the same luma: boxes, areas and centroids.
#if defined(CUESTA_HAS_VIDEO) && defined(CUESTA_HAS_CLI)
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuesta/io/frames.hpp"
#include "support/opencv.hpp"
#include "support/opencv_motion.hpp"
#include "support/places.hpp"
#include "support/temp_folder.hpp"

namespace cuesta {
namespace {

using Json = nlohmann::json;

std::vector<Json> run_detect(const std::string& video, const std::string& options) {
  const test::TempFolder folder;
  const std::string lines = folder / "lines.ndjson";
  const std::string command =
      test::command_file() + " detect '" + video + "' --json '" + lines + "' " + options;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<Json> out;
  std::ifstream file(lines);
  for (std::string line; std::getline(file, line);) out.push_back(Json::parse(line));
  return out;
}

Json list_of(const std::vector<Detection>& objects) {
  Json list = Json::array();
  for (const auto& o : objects) {
    list.push_back({{"box", {o.box.x, o.box.y, o.box.width, o.box.height}},
                    {"area", o.area},
                    {"centroid", {o.centroid_x, o.centroid_y}}});
  }
  return list;
}

void compare(const std::string& name, const MotionOptions& options, const std::string& arguments,
             size_t frames_at_least) {
  const char* folder = std::getenv("CUESTA_OPENCV_DATA");
  if (!folder || !*folder)
    GTEST_SKIP() << "CUESTA_OPENCV_DATA does not name opencv-doc's examples/data";
  const std::string path = std::string(folder) + "/" + name;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";

  const std::vector<Json> lines = run_detect(path, arguments);
  ASSERT_GT(lines.size(), frames_at_least);
  const auto source = io::open_frames(path);
  EXPECT_EQ(lines[0]["schema"], 1);
  EXPECT_EQ(lines[0]["width"], source->format().width);
  EXPECT_EQ(lines[0]["height"], source->format().height);
  test::OpenCvChain chain(options);
  io::Frame frame;
  size_t count = 0, objects = 0;
  while (source->next(frame)) {
    ASSERT_LT(++count, lines.size());
    const Json& line = lines[count];
    const auto found = chain.push(test::mat_of(frame.luma.as<uint8_t>()));
    objects += found.size();
    ASSERT_EQ(line["frame"], frame.index);
    ASSERT_EQ(line["time"], frame.time);
    ASSERT_EQ(line["objects"], list_of(found)) << "frame " << frame.index;
  }
  EXPECT_EQ(count + 1, lines.size());
  EXPECT_GT(objects, count / 2) << "something moves in most frames";
}

TEST(DetectOpenCv, LinesEqual) {
  compare("vtest.avi", MotionOptions::of(BackgroundModel::first), "--background first", 700);
}

TEST(DetectOpenCv, LinesWithOtsuAndOtherElementsEqual) {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.threshold = DifferenceThreshold::automatic();
  options.blur = 5;
  options.close = StructuringElement::ellipse(7, 7);
  options.open = StructuringElement::cross(3, 3);
  compare("vtest.avi", options,
          "--background first --threshold auto --blur 5 --close ellipse:7 --open cross:3", 700);
}

}  // namespace
}  // namespace cuesta
#endif
