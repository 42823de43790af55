#include "storage/files/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace turnstone {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() {
    std::string pattern = (fs::temp_directory_path() / "turnstone-test-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~OutputFileTest() override { fs::remove_all(folder); }
  std::string at(const std::string& name) const { return folder + "/" + name; }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static Status put(const std::string& path, const std::string& text) {
    auto file = OutputFile::open(path);
    if (!file) return tl::unexpected(file.error());
    if (auto written = (*file)->write(text); !written) return written;
    return (*file)->finish();
  }
  std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }

  std::string folder;
};

TEST_F(OutputFileTest, IsThereWholeOrNotAtAll) {
  std::ofstream(at("file")) << "before";
  ::chmod(at("file").c_str(), 0640);
  {
    auto file = OutputFile::open(at("file"));
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write("half"));
  }
  EXPECT_EQ(content(at("file")), "before");
  ASSERT_TRUE(put(at("file"), "after"));
  EXPECT_EQ(content(at("file")), "after");
  EXPECT_EQ(fs::status(at("file")).permissions(), fs::perms(0640));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, LinksStayAndWhatTheyNameIsReplaced) {
  fs::create_directory(at("real"));
  std::ofstream(at("real/file")) << "before";
  fs::create_symlink("real/file", at("link"));
  fs::create_symlink("link", at("link2"));
  ASSERT_TRUE(put(at("link2"), "after"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_symlink(at("link2")));
  EXPECT_EQ(content(at("real/file")), "after");
  fs::create_symlink("real/new", at("dangling"));
  ASSERT_TRUE(put(at("dangling"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  EXPECT_EQ(content(at("real/new")), "new");
  fs::create_symlink("circle", at("circle"));
  EXPECT_FALSE(put(at("circle"), "x"));
}

TEST_F(OutputFileTest, DevicesAndPipesAreWrittenTo) {
  ASSERT_TRUE(put("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/null", at("null"));
  ASSERT_TRUE(put(at("null"), "gone"));
  EXPECT_TRUE(fs::is_symlink(at("null")));
  const Status full = put("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::no_space);
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content(at("pipe")); });
  EXPECT_TRUE(put(at("pipe"), "through"));
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(OutputFileTest, SaysWhatStandsInTheWay) {
  EXPECT_NE(put(folder, "x").error().detail.find("is a folder"), std::string::npos);
  EXPECT_NE(put(at("no/such/file"), "x").error().detail.find("no/such/file cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace turnstone
