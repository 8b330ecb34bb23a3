import Foundation
import Media
import Reactor
import Server

/// The contents of files of this machine that the server reads. They are read anew with each configuration, since a
/// file may change under its name.
struct ServerFiles: Sendable {
  /// TLS for connections to come.
  var tls: TLSOffer?
  /// The state of the certificates' files when they were read.
  var stamps: [FileStamp?] = []
  /// Answers to a certificate authority's challenges; nil where none are kept.
  var challenges: ChallengeFolder?
  /// The relay's own folder, from which nothing is served.
  var hidden: PrivateFolder?

  /// Reads the files of TLS. Blocks.
  mutating func readTLS(
    _ settings: TLSSettings?, _ tickets: TLSTicketKeys
  ) throws(TLSFileError) {
    tls = nil
    challenges = settings?.challenges.map { ChallengeFolder($0) }
    // Looked at first: files that change while they are read are read again.
    stamps = settings?.stamps ?? []
    guard let settings, let context = try settings.context(tickets: tickets) else { return }
    tls = TLSOffer(context, isOnly: settings.isOnly)
  }
}
