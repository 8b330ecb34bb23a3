import Testing
import Wire

struct ValuesSizeTextTests {
  @Test(
    arguments: [
      ("0", 0), ("65536", 65_536), ("100B", 100), ("20GB", 20_000_000_000), ("1GiB", 1 << 30),
      ("512KiB", 524_288), ("512 KiB", 524_288), ("1kB", 1000), ("1KB", 1000),
      ("1gb", 1_000_000_000),
      ("1.5GB", 1_500_000_000), ("1.5GiB", 1_610_612_736), ("0.5B", 0), ("2TB", 2_000_000_000_000),
      ("1TiB", 1 << 40), ("0.000000001GB", 1), ("18446744073709551615", .max),
    ] as [(String, UInt64)])
  func `sizes are read as people write them`(text: String, bytes: UInt64) {
    #expect(SizeText.parse(text) == bytes)
  }

  @Test(arguments: [
    "", "GB", "20G", "20M", "20g", "-1", "+1", "1.", ".5GB", "1,5GB", "20  GB", " 1", "1 ", "1e3",
    "18446744073709551616", "99999999TB", "1PB", "0x10", "1.0000000001GB", "20GBs", "unlimited",
  ])
  func `a malformed size is refused`(text: String) {
    #expect(SizeText.parse(text) == nil)
  }

  @Test(
    arguments: [
      (0, "0B"), (20_000_000_000, "20GB"), (524_288, "512KiB"), (1001, "1001B"), (65_536, "64KiB"),
      (1 << 40, "1TiB"), (1_500_000_000, "1500MB"), (.max, "18446744073709551615B"),
    ] as [(UInt64, String)])
  func `the exact text is read again as the same size`(bytes: UInt64, text: String) {
    #expect(SizeText.format(bytes) == text)
    #expect(SizeText.parse(text) == bytes)
  }

  @Test(
    arguments: [
      (0, "0B"), (999, "999B"), (1000, "1.0kB"), (1_234_567, "1.2MB"), (9_949_000, "9.9MB"),
      (48_400_000_000, "48GB"), (12_345_678, "12MB"), (.max, "18446744TB"),
    ] as [(UInt64, String)])
  func `sizes for reading are rounded`(bytes: UInt64, text: String) {
    #expect(SizeText.rounded(bytes) == text)
  }
}
