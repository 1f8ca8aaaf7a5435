// The gallery of the first page: a widget is loaded, and plays, when it comes into view.

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    target.src = target.dataset.src;
    seen.unobserve(target);
  }
});
for (const frame of document.querySelectorAll("iframe[data-src]")) seen.observe(frame);
