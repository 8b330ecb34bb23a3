import TestSupport
import Testing

@testable import LongwaveAdmin

@Suite struct OutputFileTests {
  @Test func `a file that is given up leaves nothing behind, though somebody still holds it`()
    throws
  {
    let folder = TemporaryDirectory()
    let file = try OutputFile(folder.path + "/clip.mp3")
    let bytes: [UInt8] = [1, 2, 3]
    try file.write(bytes.span)
    #expect(folder.names.count == 1)
    file.discard()
    #expect(folder.names.isEmpty)
    withExtendedLifetime(file) {}
  }

  @Test func `a file that is finished is not given up any more`() throws {
    let folder = TemporaryDirectory()
    let file = try OutputFile(folder.path + "/clip.mp3")
    try file.finish()
    file.discard()
    #expect(folder.names == ["clip.mp3"])
  }
}
