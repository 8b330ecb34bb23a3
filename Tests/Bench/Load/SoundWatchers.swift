import Glibc
import Reactor

/// Connections that watch the sound of one station each, and count what they are told.
///
/// Unchecked: the counts are touched by its thread alone until `stop` has joined that.
final class SoundWatchers: @unchecked Sendable {
  private var sockets: [Int32] = []
  private var rests: [[UInt8]] = []
  private var counts: [Int] = []
  /// When each was told the newest level, in monotonic nanoseconds; 0 before the first.
  private var newest: [Int64] = []
  private var longest: Int64 = 0
  private var thread = pthread_t()
  /// Written by one thread, and looked at by the other each tenth of a second.
  private var isCounting = false
  private var isOver = false

  private static let part = 248
  private static let mark = Array("\nevent: levels".utf8)

  /// - Parameter query: behind `?station=ID&`.
  init(_ stations: [String], _ query: String, port: UInt16) throws {
    for (index, station) in stations.enumerated() {
      let fd = try Loopback.beginConnecting(
        from: Loopback.source(part: Self.part, index: index), to: port, segmentBytes: 0)
      var wanted = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
      guard poll(&wanted, 1, 10_000) == 1 else { throw BenchError("a watcher was not taken") }
      let request = "GET /events?station=\(station)&\(query) HTTP/1.1\r\nHost: bench\r\n\r\n"
      _ = request.withCString { write(fd, $0, strlen($0)) }
      sockets.append(fd)
    }
    rests = sockets.map { _ in [] }
    counts = sockets.map { _ in 0 }
    newest = sockets.map { _ in 0 }
  }

  deinit { for fd in sockets { Socket.close(fd) } }

  /// Reads what comes, on a thread of its own.
  func start() throws {
    let owner = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { owner in
        Unmanaged<SoundWatchers>.fromOpaque(owner!).takeRetainedValue().read()
        return nil
      }, owner)
    guard code == 0 else { throw BenchError("no thread for the watchers") }
  }

  /// Begins to count.
  func count() { isCounting = true }

  /// What the watchers were told since `count`.
  struct Told: Codable, Sendable {
    /// Levels of the station with the fewest.
    var fewest: Int
    /// Seconds between two levels of a station, at most.
    var longestGap: Double
  }

  func stop() -> Told {
    isOver = true
    pthread_join(thread, nil)
    return Told(fewest: counts.min() ?? 0, longestGap: Double(longest) / 1e9)
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var waiting = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while !isOver {
      guard poll(&waiting, nfds_t(waiting.count), 100) > 0 else { continue }
      for index in waiting.indices where waiting[index].revents != 0 {
        let taken = Glibc.read(waiting[index].fd, &buffer, buffer.count)
        if taken <= 0 {
          waiting[index].fd = -1
          continue
        }
        note(index, buffer[..<taken])
      }
    }
  }

  private func tell(_ index: Int) {
    let now = monotonicNow()
    if newest[index] > 0 { longest = max(longest, now - newest[index]) }
    newest[index] = now
    counts[index] += 1
  }

  private func note(_ index: Int, _ bytes: ArraySlice<UInt8>) {
    rests[index] += bytes
    let all = rests[index]
    if isCounting {
      for start in all.indices where all[start] == Self.mark[0] {
        if all[start...].starts(with: Self.mark) { tell(index) }
      }
    }
    // A mark may be torn; one that is whole is not kept.
    rests[index] = Array(all.suffix(Self.mark.count - 1))
  }
}
