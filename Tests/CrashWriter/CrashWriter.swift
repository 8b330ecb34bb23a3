import Glibc
import TestSupport
import Timeshift
import Wire

/// What tests of the log need a process of its own for.
///
/// - `CrashWriter write DIRECTORY` writes known packets as fast as the disk takes them until it is killed. It says
///   `ready` once the log is open.
/// - `CrashWriter day DIRECTORY` lets a station's day pass and says how many resident bytes it needed after four hours
///   and at the end.
/// - `CrashWriter stations` says how many resident bytes each of a thousand beginning logs needs.
@main struct CrashWriter {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments[1] {
    case "write": try writeForEver(arguments[2])
    case "day": say(try day(arguments[2]))
    case "stations": say("\(stations())")
    default: exit(2)
    }
  }

  private static func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(1, bytes, bytes.count)
  }

  private static func writeForEver(_ directory: String) throws {
    var configuration = LogConfiguration(retention: MediaTime(seconds: 100_000))
    configuration.segment = MediaTime(seconds: 8)
    let storage = Storage(flushInterval: 0.003, syncInterval: 0.02)
    let clock = ManualClock()
    let log = try PacketLog.open(
      directory: directory, configuration: configuration, storage: storage, at: clock.now,
      report: { _ in })
    storage.start()
    say("ready")
    while true {
      log.markTitle(Title(text: "at \(log.writerPosition)"))
      log.feed(8, at: clock.now)
      clock.advance(seconds: 0.2)
      usleep(2000)
    }
  }

  private static func day(_ directory: String) throws -> String {
    let clock = ManualClock()
    let storage = Storage(syncInterval: 3600)
    let log = try PacketLog.open(
      directory: directory, configuration: LogConfiguration(retention: MediaTime(seconds: 3600)),
      storage: storage, at: clock.now, report: { _ in })
    let reader = LogReader(log)
    // Half-second packets of 2 KB: what counts is how many packets, blocks, spans and segments pass.
    let packet = [UInt8](repeating: 0x55, count: 2000)
    func pass(hours: Int) {
      for second in 0..<(hours * 3600) {
        if second % 180 == 0 { log.markTitle(Title(text: "title \(second)")) }
        for _ in 0..<2 { log.append(packet.span, samples: 22050, format: TestPacket.format) }
        clock.advance(seconds: 1)
        log.publish(at: clock.now)
        guard second % 8 == 0 else { continue }
        reader.refresh()
        _ = reader.point(atOrBefore: reader.edge.media - MediaTime(seconds: 1800))
        storage.runOnce(at: clock.now.monotonic)
      }
    }
    pass(hours: 4)
    let early = residentBytes()
    pass(hours: 20)
    let late = residentBytes()
    precondition(log.edge.media == MediaTime(seconds: 86400), "a day has passed")
    return "\(early) \(late)"
  }

  private static func stations() -> Int {
    let clock = ManualClock()
    let before = residentBytes()
    let logs = (0..<1000).map { _ in PacketLog(memoryOnly: LogConfiguration(), at: clock.now) }
    for log in logs { log.feed(2, at: clock.now) }
    return (residentBytes() - before) / logs.count
  }

  private static func residentBytes() -> Int {
    var text = [UInt8](repeating: 0, count: 128)
    let file = open("/proc/self/statm", O_RDONLY)
    defer { close(file) }
    let count = max(0, read(file, &text, text.count))
    let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return Int(fields[1])! * 4096
  }
}
