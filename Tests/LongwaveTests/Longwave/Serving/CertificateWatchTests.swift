import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Longwave

@Suite struct CertificateWatchTests {
  private func stamps(_ folder: TemporaryDirectory) -> [FileStamp?] {
    [FileStamp(folder.path + "/a"), FileStamp(folder.path + "/b")]
  }

  @Test func `files are read again once they stay as they are`() {
    let folder = TemporaryDirectory()
    folder.write("a", [1])
    folder.write("b", [1])
    var watch = CertificateWatch()
    let taken = stamps(folder)
    var answers: [Bool] = []
    func look() { answers.append(watch.look(stamps(folder), taken: taken)) }
    look()
    look()
    folder.write("a", [1, 2])
    look()
    folder.write("b", [1, 2])
    look()
    look()
    watch.refuse(stamps(folder))
    look()
    unlink(folder.path + "/b")
    look()
    look()
    // What is not there is told, too.
    #expect(answers == [false, false, false, false, true, false, false, true])
  }

  @Test func `a certificate's end is told 14, 7, 3 and 1 days before, and when it comes`() {
    let end: Int64 = 1_800_000_000
    let certificate = TLSCertificate(file: "/c", validFrom: 0, validUntil: end, names: ["a.test"])
    let later = TLSCertificate(file: "/d", validFrom: 0, validUntil: end + 400 * 86400)
    var watch = ExpiryWatch()
    var told: [Double] = []
    for hour in stride(from: Int64(-20 * 24), through: 48, by: 1) {
      let now = end + hour * 3600
      if watch.news(of: [certificate, later], at: now) == [certificate] {
        told.append(Double(-hour) / 24)
      }
    }
    #expect(told.map { $0.rounded(.up) } == [14, 7, 3, 1, 0])
    let again = watch.news(of: [certificate], at: end - 86400)
    #expect(again.isEmpty)
    var other = ExpiryWatch()
    let early = other.news(of: [certificate], at: -5)
    #expect(early == [certificate], "not good yet")
    let late = other.news(of: [certificate], at: end - 86400 * 10)
    #expect(late == [certificate], "it ends soon, too")
  }
}
