import Wire

/// What is mounted where, as `/proc/self/mountinfo` says it (proc(5)).
public struct MountTable: Sendable {
  private struct Mount {
    var point: [UInt8]
    var kind: String
  }

  /// Later ones lie over earlier ones.
  private var mounts: [Mount] = []

  /// Kinds of file systems on disks of this machine, of which the kernel tells all changes.
  private static let local: Set = [
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs", "nilfs2",
    "tmpfs", "ramfs", "vfat", "exfat", "ntfs", "ntfs3", "fuseblk", "hfs", "hfsplus", "iso9660",
    "udf",
    "squashfs", "erofs", "ubifs",
  ]

  public init(_ text: [UInt8]) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      // ID PARENT MAJOR:MINOR ROOT POINT OPTIONS TAGS… - KIND SOURCE OPTIONS
      let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      guard words.count > 6, let dash = words[6...].firstIndex(of: [UInt8(ascii: "-")]),
        dash + 1 < words.count
      else { continue }
      mounts.append(
        Mount(point: Self.plain(words[4]), kind: String(decoding: words[dash + 1], as: UTF8.self)))
    }
  }

  /// Blanks, tabs, line ends and backslashes are written as three octal digits.
  private static func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        digits.allSatisfy({ (48...55).contains($0) })
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 &- 48) })
      rest = rest.dropFirst(3)
    }
    return bytes
  }

  /// Returns the kind of the file system on which a path without links lies; nil where the table does not say.
  public func kind(of path: [UInt8]) -> String? {
    var best: Mount?
    for mount in mounts where path == mount.point || PathText.below(mount.point, path) != nil {
      if mount.point.count >= best?.point.count ?? 0 { best = mount }
    }
    return best?.kind
  }

  /// Whether the kernel tells all changes in a file system of a kind.
  public static func isLocal(_ kind: String) -> Bool { local.contains(kind) }
}
