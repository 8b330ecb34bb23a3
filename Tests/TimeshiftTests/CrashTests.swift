import Glibc
import TestSupport
import Testing
import Wire

@testable import Timeshift

@Suite struct CrashTests {
  @Test func `a writer killed at any moment leaves a log without a torn or altered packet`() throws
  {
    let seed: UInt64 = 20_260_101
    var random = SplitMix(seed: seed)
    let directory = TemporaryDirectory()
    var edge: UInt64 = 0
    var grew = 0
    let rounds = getenv("LONGWAVE_LONG") == nil ? 60 : 1000
    for round in 0..<rounds {
      let before = edge
      let comment: Comment = "seed \(seed), round \(round)"
      let writer = try HelperProcess("write", directory.path)
      #expect(writer.line() == "ready", comment)
      usleep(UInt32.random(in: 0..<60_000, using: &random))
      writer.end()
      let disk = try LogOnDisk(in: directory)
      edge = disk.log.edge.position
      #expect(edge >= before, comment)
      if edge > before { grew += 1 }
      #expect(edge % 417 == 0, comment)
      let bytes = disk.collect(before..<edge)
      #expect(bytes.map { areKnown($0, from: before) } == true, comment)
      for title in disk.log.titles(limit: 20) {
        #expect(title.title.text == "at \(title.position)", comment)
      }
    }
    print("\(rounds) kills, \(grew) of writers that had written, \(edge) bytes")
    #expect(grew > rounds / 2, "most of the writers wrote something before they were killed")
    #expect(try LogOnDisk(in: directory).isWholeAndKnown)
  }
}
