import TestSupport
import Testing

@testable import Timeshift

@Suite struct DayTests {
  @Test func `a day on air needs no more memory than its first hours`() throws {
    let directory = TemporaryDirectory()
    let helper = try HelperProcess("day", directory.path)
    let line = helper.line() ?? ""
    helper.end()
    let bytes = line.split(separator: " ").compactMap { Double($0) }
    try #require(bytes.count == 2, "it said \(line)")
    #expect(bytes[1] < bytes[0] * 1.05, "\(bytes[0]) grew to \(bytes[1])")
    // An hour of minutes, audio and index each; the one being written; the id.
    #expect(directory.names.count <= 2 * 62 + 1)
    let disk = try LogOnDisk(LogConfiguration(retention: MediaTime(seconds: 3600)), in: directory)
    #expect(disk.log.titles(limit: 100).count <= 22)
    #expect((disk.log.edge.media - disk.log.oldest.media).seconds >= 3500)
  }

  @Test func `a thousand stations that begin cost one block each`() throws {
    let helper = try HelperProcess("stations")
    let each = helper.line().flatMap { Int($0) }
    helper.end()
    #expect(each.map { $0 > 0 && $0 < 80_000 } == true, "\(each ?? 0) bytes")
  }
}
