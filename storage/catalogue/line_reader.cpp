#include "storage/catalogue/line_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace turnstone {
namespace {

constexpr std::size_t block_bytes = 256u << 10;

// Turns the file's bytes into the catalogue's bytes, a block at a time.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Reads from in[begin, end), advancing begin; appends to out. Errors: corrupt.
  virtual Status decode(const std::vector<char>& in, std::size_t& begin, std::size_t end, std::string& out) = 0;
  virtual bool at_boundary() const = 0;  // the input may end here
};

class PlainDecoder final : public Decoder {
 public:
  Status decode(const std::vector<char>& in, std::size_t& begin, std::size_t end, std::string& out) override {
    out.append(in.data() + begin, end - begin);
    begin = end;
    return {};
  }
  bool at_boundary() const override { return true; }
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() { ready_ = ::inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~GzipDecoder() override { ::inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  Status decode(const std::vector<char>& in, std::size_t& begin, std::size_t end, std::string& out) override {
    if (!ready_) return fail(ErrorCode::internal, "zlib does not start");
    std::array<char, block_bytes> block;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data() + begin));
    stream_.avail_in = static_cast<uInt>(end - begin);
    stream_.next_out = reinterpret_cast<Bytef*>(block.data());
    stream_.avail_out = static_cast<uInt>(block.size());
    boundary_ = false;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    begin = end - stream_.avail_in;
    out.append(block.data(), block.size() - stream_.avail_out);
    if (code == Z_STREAM_END) {  // further members may follow
      boundary_ = true;
      ::inflateReset(&stream_);
      return {};
    }
    if (code != Z_OK && code != Z_BUF_ERROR) return fail(ErrorCode::corrupt, "the gzip data is damaged");
    return {};
  }
  bool at_boundary() const override { return boundary_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
  bool boundary_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(::ZSTD_createDCtx(), &::ZSTD_freeDCtx) {}

  Status decode(const std::vector<char>& in, std::size_t& begin, std::size_t end, std::string& out) override {
    std::array<char, block_bytes> block;
    ZSTD_inBuffer input{in.data(), end, begin};
    ZSTD_outBuffer output{block.data(), block.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(context_.get(), &output, &input);
    if (::ZSTD_isError(left) != 0) return fail(ErrorCode::corrupt, fmt::format("the zstd data is damaged ({})", ::ZSTD_getErrorName(left)));
    begin = input.pos;
    boundary_ = left == 0;
    out.append(block.data(), output.pos);
    return {};
  }
  bool at_boundary() const override { return boundary_; }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  bool boundary_ = false;
};

std::unique_ptr<Decoder> decoder_for(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return std::make_unique<GzipDecoder>();
  if (head.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdDecoder>();
  return std::make_unique<PlainDecoder>();
}

}  // namespace

struct LineReader::State {
  std::string path;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, &std::fclose};
  std::uint64_t file_bytes = 0;
  std::uint64_t read_bytes = 0;
  std::unique_ptr<Decoder> decoder;
  std::vector<char> input = std::vector<char>(block_bytes);
  std::size_t input_begin = 0;
  std::size_t input_end = 0;
  bool input_over = false;
  std::string decoded;  // decoded bytes not yet handed out, from `taken` on
  std::size_t taken = 0;
  std::size_t searched = 0;  // no line ending in [taken, searched)
  bool skipping = false;     // inside a line that is too long

  // Decodes one more block. false at the end of the file.
  Result<bool> fill() {
    if (taken > 0) {
      decoded.erase(0, taken);
      searched -= taken;
      taken = 0;
    }
    const std::size_t before = decoded.size();
    while (decoded.size() == before) {
      if (input_begin == input_end && !input_over) {
        input_begin = 0;
        input_end = std::fread(input.data(), 1, input.size(), file.get());
        if (std::ferror(file.get()) != 0) return fail(ErrorCode::io, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
        read_bytes += input_end;
        input_over = input_end == 0;
        if (decoder == nullptr) decoder = decoder_for({input.data(), input_end});
      }
      const bool drained = input_begin == input_end;
      if (drained && input_over && decoder->at_boundary()) return false;
      if (auto decoded_block = decoder->decode(input, input_begin, input_end, decoded); !decoded_block) {
        return fail(decoded_block.error().code, fmt::format("{}: {}", path, decoded_block.error().detail));
      }
      if (drained && input_over && decoded.size() == before) {
        return fail(ErrorCode::corrupt, fmt::format("{}: the compressed data ends early; fetch the file again", path));
      }
    }
    return true;
  }
};

LineReader::LineReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<LineReader> LineReader::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file.reset(std::fopen(path.c_str(), "rbe"));
  if (state->file == nullptr) {
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io, fmt::format("cannot open the catalogue {}: {}", path, std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(::fileno(state->file.get()), &status) != 0 || S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::io, fmt::format("{} is a folder, not a catalogue file", path));
  }
  state->file_bytes = static_cast<std::uint64_t>(status.st_size);
  return LineReader(std::move(state));
}

int LineReader::permille() const {
  return state_->file_bytes == 0 ? 1000 : static_cast<int>(state_->read_bytes * 1000 / std::max(state_->file_bytes, state_->read_bytes));
}

Result<bool> LineReader::next(Line& line) {
  State& s = *state_;
  while (true) {
    const std::size_t ending = s.decoded.find('\n', s.searched);
    if (ending != std::string::npos) {
      line.too_long = s.skipping || ending - s.taken > line_bytes_max;
      line.text = line.too_long ? std::string_view{} : std::string_view(s.decoded).substr(s.taken, ending - s.taken);
      s.taken = s.searched = ending + 1;
      s.skipping = false;
      break;
    }
    s.searched = s.decoded.size();
    if (s.searched - s.taken > line_bytes_max) {
      s.skipping = true;
      s.taken = s.searched;
    }
    auto more = s.fill();
    if (!more) return tl::unexpected(more.error());
    if (!*more) {  // the last line may have no ending
      if (s.taken == s.decoded.size() && !s.skipping) return false;
      line.too_long = s.skipping;
      line.text = line.too_long ? std::string_view{} : std::string_view(s.decoded).substr(s.taken);
      s.taken = s.searched = s.decoded.size();
      s.skipping = false;
      break;
    }
  }
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  return true;
}

}  // namespace turnstone
