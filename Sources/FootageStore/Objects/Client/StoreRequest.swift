internal import FootageBase
internal import FootageFetching
internal import FootageHTTP

/// A request to a store before it is signed.
struct StoreRequest {
  let method: HTTPMethod
  /// The whole key, with the address's prefix; nil for the bucket.
  let key: String?
  var query: [(name: String, value: String)] = []
  var fields: [(name: StaticString, value: String)] = []
  var content = ObjectContent([])
  /// The name of the request in messages to people.
  let words: String

  /// Returns the request signed for a moment.
  func signed(
    for address: StoreAddress, by key: StoreKey, at moment: SigningMoment, _ limits: ObjectStoreLimits
  ) -> HTTPClientRequest {
    var fields = fields
    fields.append(("x-amz-date", moment.stamp))
    fields.append(("x-amz-content-sha256", SignatureV4.payload(content.sha256)))
    if content.body.length > 0 { fields.append(("Content-MD5", Base64.encode(content.md5))) }
    if let token = key.sessionToken { fields.append(("x-amz-security-token", token)) }
    let path = address.path(of: self.key)
    let signature = SignatureV4(accessKey: key.accessKey, secret: key.secret, region: address.region)
    let authorization = signature.authorization(
      of: SignatureV4.Request(
        method: method.name.description, path: path, query: query,
        fields: [("Host", address.hostField)] + fields.map { ($0.name.description, $0.value) },
        payloadDigest: content.sha256),
      at: moment)
    fields.append(("Authorization", authorization))
    let target = query.isEmpty ? path : "\(path)?\(CanonicalRequest.query(query))"
    var request = HTTPClientRequest(method, target, body: content.body)
    request.host = address.hostField
    request.fields = fields
    request.awaitsContinue = content.body.length >= limits.continueBytes
    // A request that must not be sent twice would fail on a connection that the store has meanwhile closed.
    request.isOnNewConnection = !method.isIdempotent
    return request
  }
}
