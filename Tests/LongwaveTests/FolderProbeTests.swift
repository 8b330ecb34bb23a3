import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Longwave

@Suite struct FolderProbeTests {
  @Test func `a folder that hangs holds nobody, and is asked again when it has answered`()
    async throws
  {
    let isFree = Flag()
    let asked = Mutex<[String]>([])
    let probe = FolderProbe { directory in
      asked.withLock { $0.append(directory) }
      while directory == "/hangs", !isFree.isSet { usleep(1000) }
    }
    for _ in 0..<3 { #expect(await !probe.answers("/hangs", within: 0.05)) }
    #expect(await probe.answers("/well", within: 60))
    #expect(await probe.answers("/well", within: 60))
    #expect(asked.withLock { $0 } == ["/hangs", "/well", "/well"])
    isFree.set()
    try await eventually("it answers again") { await probe.answers("/hangs", within: 60) }
  }
}
