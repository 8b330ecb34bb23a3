import Testing

@testable import Ingest

@Suite struct ForeignContainerTests {
  private static let noise = (0..<6000).map { UInt8(truncatingIfNeeded: ($0 &* 7919) >> 3) }

  private func loas(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { [0x56, 0xE0, 0xC0 - UInt8($0)] + Self.noise.prefix(0xC0 - $0) }
  }

  private func transport(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in [0x47, 0x01, 0x00, 0x10] + Self.noise.prefix(184) }
  }

  @Test(arguments: [
    (Array("fLaC".utf8) + [0, 0, 0, 34], ForeignContainer.flac, "FLAC"),
    ([0, 0, 0, 0x20] + Array("ftypisom".utf8), .mp4, "MP4"),
    ([0, 0, 0, 0x18] + Array("stypmsdh".utf8), .mp4, "MP4"),
    ([0x1A, 0x45, 0xDF, 0xA3, 0x9F], .webm, "WebM"),
    ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6], .asf, "Windows Media"),
  ])
  func `a container is told by its first bytes`(
    bytes: [UInt8], container: ForeignContainer, name: String
  ) {
    #expect(ForeignContainer(beginning: bytes) == container)
    #expect(ForeignContainer(of: bytes, mediaType: nil) == container)
    #expect(container.reason.contains(name))
    for count in 0..<4 { #expect(ForeignContainer(beginning: Array(bytes.prefix(count))) == nil) }
  }

  @Test(arguments: [0, 1, 100, 187]) func `a transport stream is told wherever it begins`(cut: Int)
  {
    let bytes = Array(transport(8).dropFirst(cut))
    #expect(ForeignContainer(of: bytes, mediaType: "audio/aac") == .mpegTS)
  }

  @Test(arguments: [0, 1, 150]) func `LOAS is told wherever it begins`(cut: Int) {
    let bytes = Array(loas(8).dropFirst(cut))
    #expect(ForeignContainer(of: bytes, mediaType: "audio/aac") == .loas)
  }

  @Test func `FLAC behind a tag is told`() {
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0x10] + [UInt8](repeating: 0, count: 144)
    #expect(ForeignContainer(of: tag + Array("fLaC".utf8), mediaType: nil) == .flac)
    #expect(ForeignContainer(of: Array(tag.prefix(9)), mediaType: nil) == nil)
  }

  @Test func `a container without a mark is told by its media type, or not at all`() {
    #expect(ForeignContainer(of: Self.noise, mediaType: "audio/flac") == .flac)
    #expect(ForeignContainer(of: Self.noise, mediaType: "video/mp2t") == .mpegTS)
    #expect(ForeignContainer(of: Self.noise, mediaType: "audio/mpeg") == nil)
    #expect(ForeignContainer(of: [], mediaType: nil) == nil)
  }
}
