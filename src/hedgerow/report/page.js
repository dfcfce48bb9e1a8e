// Everything on the page is there without this script; it lets a reader pick out lines.
(function () {
  "use strict";
  var root = document.documentElement;
  window.addEventListener("error", function (event) { root.dataset.scriptError = event.message; });

  function heights(line) {
    return line.getAttribute("d").slice(1).split("L").map(function (place) { return place.split(" ").map(Number); });
  }

  // The height of a line at x, both in the units of the drawing.
  function heightAt(places, x) {
    for (var i = 1; i < places.length; i += 1) {
      if (x <= places[i][0]) {
        var share = (x - places[i - 1][0]) / (places[i][0] - places[i - 1][0]);
        return places[i - 1][1] + Math.max(0, share) * (places[i][1] - places[i - 1][1]);
      }
    }
    return places[places.length - 1][1];
  }

  document.querySelectorAll("figure.parallel").forEach(function (figure) {
    var drawing = figure.querySelector("svg"), readout = figure.querySelector(".readout");
    var slider = figure.querySelector("input"), shown = figure.querySelector("output");
    // The worst come first.
    var threads = Array.from(figure.querySelectorAll(".thread")).map(function (line) {
      return { line: line, places: heights(line), words: line.querySelector("title").textContent };
    });
    var silence = readout.textContent, read = null;

    function choose(thread) {
      if (read === thread) { return; }
      if (read) { read.line.classList.remove("read"); }
      read = thread;
      figure.classList.toggle("reading", Boolean(thread));
      if (thread) { thread.line.classList.add("read"); }
      readout.textContent = thread ? thread.words : silence;
    }

    drawing.addEventListener("pointermove", function (event) {
      var box = drawing.getBoundingClientRect();
      var x = 1000 * (event.clientX - box.left) / box.width, y = 1000 * (event.clientY - box.top) / box.height;
      var nearest = null, least = 60;
      threads.forEach(function (thread) {
        if (thread.line.classList.contains("hidden")) { return; }
        var distance = Math.abs(heightAt(thread.places, x) - y);
        if (distance <= least) { nearest = thread; least = distance; }
      });
      choose(nearest);
    });
    drawing.addEventListener("pointerleave", function () { choose(null); });

    slider.addEventListener("input", function () {
      var n = Number(slider.value);
      threads.forEach(function (thread, place) {
        thread.line.classList.toggle("hidden", place < threads.length - n);
      });
      shown.textContent = n + " of " + threads.length;
    });
    slider.max = slider.value = threads.length;
    shown.textContent = threads.length + " of " + threads.length;
    figure.querySelector(".controls").hidden = threads.length < 2;
    readout.hidden = false;
  });
  root.dataset.scripts = "done";
}());
