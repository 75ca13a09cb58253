document.getElementById("view").textContent = "Neural Logic Networks";
