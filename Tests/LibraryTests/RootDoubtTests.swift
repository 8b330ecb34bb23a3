import Media
import Testing
import Wire

@testable import Library

/// When what is found in a root is not believed.
@Suite struct RootDoubtTests {
  private func file(_ number: Int) -> MusicFile {
    MusicFile(
      root: "/m", path: Array("\(number).mp3".utf8),
      identity: .init(device: 1, inode: UInt64(number), bytes: 1, modified: 0),
      key: TrackKey(high: UInt64(number), low: 0),
      format: AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2), title: "\(number)")
  }

  private func look(
    _ files: Int, device: UInt64 = 1, knew: Int = 0, same: Int = 0,
    trouble: MusicLook.Trouble? = nil
  ) -> MusicLook {
    var look = MusicLook(MusicFolder("/m", files: (0..<files).map(file), isWhole: true))
    (look.device, look.knew, look.same, look.trouble) = (device, knew, same, trouble)
    return look
  }

  private func doubt(_ look: MusicLook, had files: Int?) -> String? {
    let memory = files.map { RootMemory(device: 1, files: $0, scanned: 0, state: .ok) }
    return RootDoubt.of(look, memory).map { "\($0.state): \($0.reason)" }
  }

  @Test func `a root that was never looked through is believed, unless it is not there`() {
    #expect(doubt(look(0), had: nil) == nil && doubt(look(5, device: 2), had: nil) == nil)
    #expect(
      doubt(look(0, trouble: .missing("No such file")), had: nil)
        == "missing: is away: No such file")
    #expect(
      doubt(look(0, trouble: .unreadable("Permission denied")), had: nil)
        == "unreadable: cannot be looked into: Permission denied")
    #expect(doubt(look(0, trouble: .short), had: 5) == nil)
  }

  @Test func `a root that is away, empty or replaced is suspect, and says what it had`() {
    let tail = ", and had 12,008 files; nothing is forgotten"
    #expect(
      doubt(look(0, trouble: .missing("No such file")), had: 12_008)
        == "suspect: is away: No such file" + tail)
    #expect(doubt(look(0), had: 12_008) == "suspect: is empty" + tail)
    #expect(
      doubt(look(0, trouble: .replaced), had: 12_008)
        == "suspect: was unmounted or replaced while it was looked through" + tail)
    #expect(doubt(look(0), had: 1) == "suspect: is empty, and had 1 file; nothing is forgotten")
    #expect(doubt(look(0), had: 0) == nil)
  }

  @Test func `of more than a hundred files, half may not be gone`() {
    #expect(doubt(look(1), had: 100) == nil)
    #expect(doubt(look(51), had: 101) == nil)
    #expect(
      doubt(look(50), had: 101) == "suspect: has 50 files, and had 101 files; nothing is forgotten")
    #expect(doubt(look(500), had: 101) == nil)
  }

  @Test func `another disk is believed where it has the same files, as after a new start`() {
    let words = "suspect: is on another disk than before, and had 10 files; nothing is forgotten"
    #expect(doubt(look(10, device: 2, knew: 10, same: 9), had: 10) == nil)
    #expect(doubt(look(10, device: 2, knew: 10, same: 8), had: 10) == words)
    #expect(doubt(look(10, device: 2, knew: 10, same: 0), had: 10) == words)
    // Without the files themselves their number has to do.
    #expect(doubt(look(10, device: 2), had: 10) == nil)
    #expect(doubt(look(11, device: 2), had: 10) == words)
  }
}

/// On which file system a folder lies.
@Suite struct MountTableTests {
  private static let table = MountTable(
    Array(
      """
      22 27 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
      27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
      40 27 0:35 / /mnt/nas rw,relatime shared:2 master:9 - nfs4 nas:/music rw,vers=4.2
      41 40 0:36 / /mnt/nas/old\\040music rw - cifs //nas/old rw
      42 27 8:1 / /mnt/usb rw - vfat /dev/sdb1 rw
      43 27 8:2 / /mnt/usb rw - fuse.sshfs host: rw
      broken line
      44 27 8:2 / /mnt/short rw
      """.utf8))

  @Test(arguments: [
    ("/srv/music", "ext4"), ("/mnt/nas", "nfs4"), ("/mnt/nas/a", "nfs4"), ("/mnt/nasty", "ext4"),
    ("/mnt/nas/old music/b", "cifs"), ("/mnt/usb/x", "fuse.sshfs"), ("/mnt/short", "ext4"),
    ("/", "ext4"),
  ])
  func `a path lies on the innermost mount, and of two on the later one`(
    path: String, kind: String
  ) {
    #expect(Self.table.kind(of: Array(path.utf8)) == kind)
  }

  @Test func `disks of this machine are watched, and shares are not`() {
    for kind in ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "fuseblk"] {
      #expect(MountTable.isLocal(kind), "\(kind)")
    }
    for kind in ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "overlay", "ceph", ""] {
      #expect(!MountTable.isLocal(kind), "\(kind)")
    }
    #expect(MountTable([]).kind(of: Array("/".utf8)) == nil)
    #expect(WatchRule.refusal("/proc/self")?.contains("proc") == true)
    #expect(WatchRule.refusal("/none/at/all") != nil)
  }
}
