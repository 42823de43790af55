#include "tools/generate/row_writer.h"

#include <fmt/core.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace turnstone {

namespace {
constexpr std::size_t buffer_bytes = 1 << 20;
constexpr int zstd_level = 3;
}  // namespace

struct RowWriter::Sink {
  std::FILE* out = nullptr;
  std::string file;        // empty: standard output
  std::string unfinished;  // what is written until finish()
  ZSTD_CCtx* zstd = nullptr;
  std::vector<char> packed;

  ~Sink() {
    ZSTD_freeCCtx(zstd);
    if (out != nullptr && !file.empty()) {
      std::fclose(out);
      std::remove(unfinished.c_str());
    }
  }
  Status failure(const char* what) const {
    const int why = errno;
    return fail(why == ENOSPC ? ErrorCode::no_space : ErrorCode::io,
                fmt::format("{} cannot be {} ({}); check the path and the free space", file.empty() ? "standard output" : file, what, std::strerror(why)));
  }
  Status write(const char* bytes, std::size_t count) const {
    if (std::fwrite(bytes, 1, count, out) != count) return failure("written");
    return {};
  }
};

RowWriter::RowWriter() : sink_(std::make_unique<Sink>()) {}
RowWriter::~RowWriter() = default;

Result<std::unique_ptr<RowWriter>> RowWriter::open(const std::string& file) {
  std::unique_ptr<RowWriter> writer(new RowWriter);
  Sink& sink = *writer->sink_;
  if (file == "-") {
    sink.out = stdout;
    return writer;
  }
  sink.file = file;
  sink.unfinished = fmt::format("{}.{}.part", file, getpid());
  sink.out = std::fopen(sink.unfinished.c_str(), "wb");
  if (sink.out == nullptr) return tl::unexpected(sink.failure("made").error());
  if (file.ends_with(".zst")) {
    sink.zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(sink.zstd, ZSTD_c_compressionLevel, zstd_level);
    sink.packed.resize(ZSTD_CStreamOutSize());
  }
  return writer;
}

Status RowWriter::line(std::string_view text) {
  buffer_ += text;
  buffer_ += '\n';
  return buffer_.size() >= buffer_bytes ? flush(false) : Status{};
}

Status RowWriter::flush(bool last) {
  if (sink_->zstd == nullptr) {
    auto written = sink_->write(buffer_.data(), buffer_.size());
    buffer_.clear();
    return written;
  }
  ZSTD_inBuffer in{buffer_.data(), buffer_.size(), 0};
  for (bool done = false; !done;) {
    ZSTD_outBuffer out{sink_->packed.data(), sink_->packed.size(), 0};
    const std::size_t left = ZSTD_compressStream2(sink_->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) return fail(ErrorCode::internal, fmt::format("zstd: {}", ZSTD_getErrorName(left)));
    if (auto written = sink_->write(sink_->packed.data(), out.pos); !written) return written;
    done = last ? left == 0 : in.pos == in.size;
  }
  buffer_.clear();
  return {};
}

Status RowWriter::finish() {
  if (auto flushed = flush(true); !flushed) return flushed;
  if (std::fflush(sink_->out) != 0) return sink_->failure("written");
  if (sink_->file.empty()) return {};
  std::FILE* out = sink_->out;
  sink_->out = nullptr;
  if (std::fclose(out) != 0) return sink_->failure("closed");
  if (std::rename(sink_->unfinished.c_str(), sink_->file.c_str()) != 0) return sink_->failure("renamed into place");
  return {};
}

}  // namespace turnstone
