/* The dashboard works without this script; with it, it stays fresh and links with a token log in. */
"use strict";

logInByLink();
window.addEventListener("hashchange", logInByLink); // the form was open already

function logInByLink() {
  const form = document.getElementById("login");
  const given = location.hash.slice(1).replace(/^token=/, "");
  if (!form || !/^[\w-]{16,}$/.test(given)) return;
  history.replaceState(null, "", location.pathname); // a token stays in no history
  form.elements.token.value = given;
  form.submit();
}

localTimes(document);

function localTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!isNaN(moment)) time.title = moment.toLocaleString();
  }
}

(function keepFresh() {
  const live = document.getElementById("live");
  if (!live) return;
  const every = 5000;
  const pulse = document.getElementById("pulse");
  const hold = document.getElementById("hold");
  let failures = 0;
  let timer = 0;

  document.documentElement.classList.add("scripted");
  pulse.hidden = hold.hidden = false;
  hold.addEventListener("click", () => {
    const held = hold.getAttribute("aria-pressed") !== "true";
    hold.setAttribute("aria-pressed", String(held));
    hold.textContent = held ? "Resume updates" : "Pause updates";
    setStatus(held ? "Updates paused" : "Updating");
    if (!held) poll();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) poll();
  });
  setStatus("Updating");
  scheduleNext();

  function scheduleNext() {
    clearTimeout(timer);
    timer = setTimeout(poll, every * Math.min(12, 2 ** failures));
  }

  async function poll() {
    clearTimeout(timer);
    if (document.hidden || hold.getAttribute("aria-pressed") === "true") return scheduleNext();
    try {
      const answer = await fetch(live.dataset.from, { headers: { "X-Dashboard": "live" }, cache: "no-store" });
      if (answer.status === 401) return location.reload();
      if (!answer.ok) throw new Error(String(answer.status));
      update(await answer.text());
      failures = 0;
      setStatus("Updating");
    } catch {
      failures += 1;
      setStatus("No answer from the server; these numbers are not current");
    }
    scheduleNext();
  }

  function setStatus(words) {
    if (pulse.textContent !== words) pulse.textContent = words;
  }

  function update(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const parts = new Map([...page.querySelectorAll("[data-live]")].map((part) => [part.dataset.live, part]));
    const known = [...live.querySelectorAll("[data-live]")];
    if (known.length !== parts.size) return replace(live, page.body);
    for (const part of known) {
      const fresh = parts.get(part.dataset.live);
      if (!fresh) return replace(live, page.body);
      if (part.innerHTML !== fresh.innerHTML) replace(part, fresh);
    }
  }

  // Keep the focus and the scroll position of tables across updates.
  function replace(old, fresh) {
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const href = focused && focused.getAttribute("href");
    const scrolled = [...old.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
    const wasBox = focused && focused.classList.contains("scroll");
    old.replaceChildren(...fresh.childNodes);
    [...old.querySelectorAll(".scroll")].forEach((box, place) => {
      if (!scrolled[place]) return;
      [box.scrollLeft, box.scrollTop] = scrolled[place];
      if (wasBox && place === 0) box.focus({ preventScroll: true });
    });
    if (href) {
      const again = [...old.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === href);
      if (again) again.focus({ preventScroll: true });
    }
    localTimes(old);
  }
})();
