// Every bound and timer of the bus in one place. docs/bus-protocol.md explains each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace turnstone::bus {

inline constexpr std::uint32_t protocol_version = 2;

// --- sizes -----------------------------------------------------------------------------------------
inline constexpr std::size_t frame_bytes_max = 4 * 1024 * 1024;  // also ZMQ_MAXMSGSIZE of every socket
inline constexpr std::size_t small_frame_bytes_max = 64 * 1024;  // of messages without events or documents
inline constexpr std::size_t subscription_bytes_max = 512;  // ZMQ_MAXMSGSIZE of the publisher, which takes in nothing else
inline constexpr std::size_t worker_id_bytes_max = 128;
inline constexpr std::size_t document_bytes_max = 1024 * 1024;
inline constexpr std::size_t reply_bytes_max = 1024 * 1024;
inline constexpr std::size_t proposal_events_max = 1'000;
inline constexpr std::size_t proposal_bytes_max = 2 * 1024 * 1024;  // of its events' payloads: a range and one proposal fit a frame
inline constexpr std::size_t range_events_max = 512;         // in one EVENTS or COMMITS answer
inline constexpr std::size_t range_bytes_max = 1024 * 1024;  // payload bytes after which an answer is cut short
inline constexpr std::size_t fingerprints_max = 64;          // of each kind in a HELLO
inline constexpr std::size_t workers_max = 1'024;
inline constexpr std::uint32_t credit_max = 1'024;

// --- queues (high-water marks, messages) -----------------------------------------------------------
inline constexpr int router_send_hwm = 10'000;
inline constexpr int router_receive_hwm = 10'000;
inline constexpr int dealer_send_hwm = 2'000;
inline constexpr int dealer_receive_hwm = 2'000;
inline constexpr int publisher_send_hwm = 2'000;  // beyond it a slow subscriber loses messages and fills the gap by reads
inline constexpr int subscriber_receive_hwm = 2'000;
inline constexpr int monitor_hwm = 10'000;  // handshakes that ended and were not looked at yet
inline constexpr int linger_ms = 0;

}  // namespace turnstone::bus
