import Foundation
import Glibc

/// Finds programs that hold a database, from the kernel's list of locks (proc(5), /proc/locks).
enum StoreHolders {
  static func advice(_ path: String) -> String {
    let locks = (try? String(contentsOfFile: "/proc/locks", encoding: .utf8)) ?? ""
    let holders = [path, path + "-wal", path + "-shm"].compactMap(place).flatMap { place in
      processes(in: locks, holding: place)
    }
    let names = Set(holders).sorted().map { "\(name(of: $0)) (process \($0))" }
    let who = names.isEmpty ? "another program" : names.joined(separator: ", ")
    return "\(who) holds it, as a backup does: let it finish, or end it"
  }

  /// Returns the processes that have a lock on a file, given as `MAJOR:MINOR:INODE`.
  static func processes(in locks: String, holding place: String) -> [Int32] {
    locks.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      // A waiting lock has an arrow in front.
      guard let kind = fields.firstIndex(of: "POSIX"), kind == 1, fields.count > 5,
        fields[5] == place
      else { return nil }
      return Int32(fields[4]).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  private static func place(of path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    // The kernel packs the numbers into 64 bits like this (makedev(3)).
    let disk = UInt64(status.st_dev)
    let major = (disk >> 8 & 0xfff) | (disk >> 32 & ~0xfff)
    let minor = (disk & 0xff) | (disk >> 12 & ~0xff)
    func hex(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return text.count < 2 ? "0" + text : text
    }
    return "\(hex(major)):\(hex(minor)):\(status.st_ino)"
  }

  private static func name(of process: Int32) -> String {
    let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .newlines) ?? "another program"
  }
}
