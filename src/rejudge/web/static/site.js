// The participants' pages, improved. Everything works without this script; with it people go on
// while the network is away, every answer is saved as it is given, and keys do what buttons do.
import { startKeys } from "./keys.js";
import { $, all, form, textFor } from "./page.js";
import { startTasks } from "./navigation.js";

document.documentElement.classList.add("scripted");
if (form) {
  startKeys();
  startTasks();
}
window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

const help = $(".help");
if (help) {
  const close = () => { help.open = false; $("summary", help).focus(); };
  $("[data-close]", help).addEventListener("click", close);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && help.open) close(); });
  document.addEventListener("click", (event) => { if (help.open && !help.contains(event.target)) help.open = false; });
}

const client = $("form[data-client]");
if (client) {
  const isCoarse = matchMedia("(pointer: coarse)").matches, short = Math.min(screen.width, screen.height);
  client.elements.zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
  client.elements.offset.value = String(-new Date().getTimezoneOffset());
  client.elements.device.value = !isCoarse ? "desktop" : short < 600 ? "phone" : "tablet";
}

for (const copy of all("[data-copy]")) copy.addEventListener("click", async () => {
  const code = document.getElementById(copy.dataset.copy);
  try { await navigator.clipboard.writeText(code.textContent); } catch {
    getSelection().selectAllChildren(code);
    document.execCommand("copy"); // where the clipboard is forbidden, as on plain http
  }
  copy.textContent = textFor("copied");
});

const follow = $("[data-follow]");
if (follow) {
  $(".follow").hidden = false;
  const leaving = setTimeout(() => location.assign(follow.href), 15000);
  $("[data-stay]").addEventListener("click", () => { clearTimeout(leaving); $(".follow").hidden = true; });
}
