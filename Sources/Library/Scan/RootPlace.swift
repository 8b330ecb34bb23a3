import Glibc
import Media
import Timeshift

/// An open folder that is looked through, or one file in its place.
final class RootPlace {
  /// Why a file in it cannot be opened.
  struct Failure: Error {
    var code: Int32

    /// Whether nothing is at the path any more, or no file.
    var isOfAbsence: Bool { [ENOENT, ENOTDIR, ELOOP, EISDIR, ENXIO, EXDEV].contains(code) }
    var words: String { Shortage.reason(code) ?? String(cString: strerror(code)) }
  }

  private let path: String
  private let descriptor: Int32
  private let status: stat
  /// Whether the path leads to a file.
  let isFile: Bool
  let device: UInt64

  /// Opens the folder. Blocks.
  ///
  /// - Parameter takesFile: whether there may be a file in its place.
  init(_ path: String, takesFile: Bool) throws(MusicLook.Trouble) {
    // Without waiting: the path may lead to a pipe.
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      if Shortage.codes.contains(code) { throw .short }
      let reason = String(cString: strerror(code))
      if [ENOENT, ENOTDIR, ENODEV, ENXIO].contains(code) { throw .missing(reason) }
      throw .unreadable(reason)
    }
    var status = stat()
    let isKnown = fstat(descriptor, &status) == 0
    let kind = status.st_mode & S_IFMT
    guard isKnown, kind == S_IFDIR || kind == S_IFREG else {
      close(descriptor)
      throw .unreadable("it is neither a folder nor a file")
    }
    if kind == S_IFREG, !takesFile {
      close(descriptor)
      throw .unreadable("it is a file; name the folder that it is in")
    }
    (self.path, self.descriptor, self.status) = (path, descriptor, status)
    isFile = kind == S_IFREG
    device = UInt64(status.st_dev)
  }

  deinit { close(descriptor) }

  /// The folder's path without links; nil where it is unknown.
  var real: String? { PrivateFolder.real(of: descriptor) }

  var identity: MediaFile.Identity { MediaFile.Identity(status) }

  /// Whether its path still leads to it.
  var isStillThere: Bool {
    var now = stat()
    return stat(path, &now) == 0 && now.st_dev == status.st_dev && now.st_ino == status.st_ino
  }

  /// Opens a file in it; the empty path is the file itself.
  func open(_ file: [UInt8]) throws(Failure) -> MediaFile {
    let descriptor =
      isFile
      ? fcntl(self.descriptor, F_DUPFD_CLOEXEC, 0)
      : MediaFolder.descriptor(of: file, beneath: self.descriptor)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    guard let file = MediaFile(taking: descriptor) else { throw Failure(code: ENOENT) }
    return file
  }

  /// Returns the descriptor of a folder in it, by way of no link; the empty path is the folder itself. The caller closes
  /// it.
  func folder(_ folder: [UInt8]) throws(Failure) -> Int32 {
    // Not a duplicate: each reader of a folder needs a place of its own in it.
    let descriptor =
      folder.isEmpty
      ? openat(self.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      : MediaFolder.descriptor(of: folder, beneath: self.descriptor, withoutOpenat2: true)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    return descriptor
  }
}
