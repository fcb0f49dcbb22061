"use strict";
// Say an element's numbers beside the pointer, or where it was touched.
const tip = document.getElementById("tip");
const show = (event) => {
  const found = event.target.closest ? event.target.closest("[data-tip]") : null;
  tip.hidden = !found;
  if (!found) return;
  tip.textContent = found.dataset.tip;
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = Math.max(8, Math.min(event.clientX + 12, room)) + "px";
  const above = event.clientY - tip.offsetHeight - 12;
  tip.style.top = (above > 4 ? above : event.clientY + 18) + "px";
};
document.addEventListener("pointermove", show);
document.addEventListener("pointerdown", show);
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
// On a narrow screen the contents start folded.
if (matchMedia("(max-width: 899px)").matches) document.querySelector("nav details").removeAttribute("open");
// A link to a folded part opens it.
const unfold = () => {
  const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const part = found && found.closest("details");
  if (part) { part.open = true; found.scrollIntoView(); }
};
addEventListener("hashchange", unfold);
unfold();
