// A service worker. Threads share memory only in a page whose programs came with these two headers, which a plain file server
// does not send: it adds them to what the server answers. docs/web.md
'use strict';

const kPrograms = ['document', 'worker'];  // all else the browser fetches by itself, also for a page that sleeps

async function answered(request) {
  const answer = await fetch(request);
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(answer.body, {status: answer.status, statusText: answer.statusText, headers});
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => {
  if (kPrograms.includes(event.request.destination)) event.respondWith(answered(event.request));
});
