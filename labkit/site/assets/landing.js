// The first page: a widget of the gallery is loaded, and plays, when it comes into view; a formula goes to the playground.

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    target.src = target.dataset.src;
    seen.unobserve(target);
  }
});
for (const frame of document.querySelectorAll("iframe[data-src]")) seen.observe(frame);

document.querySelector(".landing-formula")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const code = document.getElementById("formula").value;
  location.href = `${event.target.dataset.to}#${new URLSearchParams({ code, dialect: "numpy", run: "" })}`;
});
