import Wire

/// A file or folder whose disk has not answered.
package struct SilentPath: Error, Hashable, Sendable, CustomStringConvertible {
  package var path: String
  /// Seconds that the disk was waited for.
  package var seconds: Double

  package init(path: String, seconds: Double) { (self.path, self.seconds) = (path, seconds) }

  /// Seconds that a disk has to answer.
  package static let patience = 10.0
  package static let advice = "look at the disk, or at the network that it is on (dmesg, mount)"

  package var description: String {
    "\(path): its disk has not answered for \(Int(bounded: seconds, in: 0...3600)) s; "
      + Self.advice
  }
}
