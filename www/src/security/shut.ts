// Removes WebRTC before anything else runs. WebRTC can reach any host, whatever `connect-src` says.
// The directive `webrtc 'block'` would prevent that, but Chromium does not know it and reports an
// error on the console.

const WEBRTC = [
  "RTCPeerConnection",
  "webkitRTCPeerConnection",
  "mozRTCPeerConnection",
  "RTCDataChannel",
  "RTCIceTransport",
];

for (const name of WEBRTC) Reflect.deleteProperty(globalThis, name);
