import Longwave

extension AdminClient {
  /// Returns the link of the relay's dashboard with the admin token behind the `#`, which browsers do not send.
  ///
  /// A relay that is reached by its Unix socket says where it listens; one elsewhere is linked as it was reached.
  public func dashboardLink() async throws(AdminError) -> String {
    let told = try await request("GET", Self.path("dashboard"))
    guard case .string(let page)? = told?["url"] else {
      throw AdminError("the server does not say where its dashboard is")
    }
    guard case .string(let token)? = told?["token"] else {
      throw AdminError(
        "the server has no admin token, which its dashboard needs; write admin: {token: …}")
    }
    return (reached ?? page) + "#token=" + Self.escaped(token)
  }

  /// The dashboard's address on the server that the client was told.
  private var reached: String? {
    guard case .server(let url, _) = place else { return nil }
    let whole = url.contains("://") ? url : "http://" + url
    return (whole.hasSuffix("/") ? String(whole.dropLast()) : whole) + "/admin/"
  }
}
