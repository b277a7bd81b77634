package dev.mandate.distribution;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A POM as it is written, without what it inherits. */
record Pom(Path file, Document document) {
    static Pom read(Path file) {
        try {
            // Without namespaces, so that paths are plain.
            return new Pom(
                    file,
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
        } catch (IOException | SAXException | ParserConfigurationException e) {
            throw new IllegalStateException(file + " can't be read", e);
        }
    }

    /** The texts of all elements at an XPath, without blanks around them. */
    List<String> texts(String path) {
        try {
            NodeList found =
                    (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < found.getLength(); i++) {
                texts.add(found.item(i).getTextContent().strip());
            }
            return texts;
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    /** The text of the only element at an XPath, or an empty one. */
    String text(String path) {
        List<String> texts = texts(path);
        return texts.size() == 1 ? texts.get(0) : "";
    }

    String artifact() {
        return text("/project/artifactId");
    }
}
